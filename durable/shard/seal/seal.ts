import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun } from "../../../src/trace/run/merge.ts";
import {
  groupByRun,
  type HotChange,
  type HotRun,
  planSeal,
  type SealPolicy,
} from "../../../src/trace/segments/seal-plan.ts";
import { add, commit, emptyDraft, isFull, type Sealing, withSealingMemory, write } from "./draft.ts";
import { fold } from "./rewrite.ts";

/**
 * Moves hot runs into segments. An interruption loses and doubles nothing: an object is recorded before it is written,
 * and one transaction after the write makes it live and deletes the changes that it contains. Changes that arrive
 * meanwhile stay hot, as changes of a sealed run.
 */

/** Hot changes read per page. Of changes that stay hot, only the data that the plan needs are kept. Limits memory. */
const CHANGES_PER_PAGE = 20_000;

/** Seals the runs that the policy selects. Answers when the oldest sealable run left hot arrived; null: none is left. */
export async function seal(
  sealing: Sealing,
  scope: SealPolicy["scope"],
  settings: Pick<SealPolicy, "sealBytes" | "sealAgeMs" | "maxHotBytes">,
): Promise<number | null> {
  const { store } = sealing;
  const upTo = store.hot.lastSeq();
  let oldestLeftAt: number | null = null;
  /** By run. A seal takes the oldest changes of a run first: an older change applied later would override newer ones. */
  const left = new Map<string, readonly HotChange[]>();
  for (let after = 0; ; ) {
    const page = store.hot.between(after, upTo, CHANGES_PER_PAGE);
    const last = page.at(-1);
    if (last === undefined) return oldestLeftAt;
    after = last.seq;
    const ids = [...new Set(page.map(({ run }) => run))];
    const changes = [...ids.flatMap((id) => left.get(id) ?? []), ...page];
    const runs = groupByRun(changes, store.segmentOf(ids));
    const plan = planSeal(runs, { ...settings, scope, now: Date.now(), hotBytes: store.hot.bytes });
    const freshBytes = plan.fresh.reduce((sum, { bytes }) => sum + bytes, 0);
    if (freshBytes > 0) await withSealingMemory(sealing, freshBytes, () => sealFresh(sealing, plan.fresh));
    for (const [segment, changed] of plan.folds) await fold(sealing, segment, changed);
    for (const [id, ofRun] of Map.groupBy(changes, ({ run }) => run)) {
      if (plan.left.has(id)) left.set(id, ofRun);
      else left.delete(id);
    }
    if (plan.oldestLeftAt !== null) oldestLeftAt = Math.min(oldestLeftAt ?? plan.oldestLeftAt, plan.oldestLeftAt);
  }
}

/** Writes runs that no segment holds yet. Each full segment is committed at once: an interruption repeats one at most. */
async function sealFresh(sealing: Sealing, runs: readonly HotRun[]): Promise<void> {
  let draft = emptyDraft();
  for (const run of runs) {
    const row = deriveRow(mergeChanges(noRun(run.id), sealing.store.hot.changes(run.seqs)));
    if (row === null) continue;
    if (isFull(sealing, draft, row)) {
      commit(sealing, [await write(sealing, draft)], null, draft.sources);
      draft = emptyDraft();
    }
    add(draft, row, run);
  }
  if (draft.rows.length > 0) commit(sealing, [await write(sealing, draft)], null, draft.sources);
}
