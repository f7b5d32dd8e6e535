import { feedbackOfRuns } from "../../../src/parquet/read/run-feedback.ts";
import type { FeedbackEntry } from "../../../src/trace/run/change.ts";
import { feedbackBytes, feedbackEntries, feedbackListEditor } from "../../../src/trace/run/feedback-list.ts";
import type { FeedbackQuestion, FoundFeedback } from "../../protocol/shard.ts";
import type { ShardStore } from "../store/store.ts";
import type { ShardView } from "./shard-view.ts";

/**
 * The present content of feedback: from the segments of its runs, with newer changes applied. Reads segments one after
 * the other, until `maxBytes` are reached. null: segments changed during the read, so the result is not certain.
 */
export async function readFeedback(
  { env, store }: ShardView,
  { requested, maxBytes }: FeedbackQuestion,
): Promise<FoundFeedback | null> {
  const { commits } = store;
  const segments = store.segmentOf(requested.map(({ runId }) => runId));
  const wanted = new Set(requested.map(({ id }) => id));
  /** The requested feedback of each run that was read. */
  const known = new Map<string, readonly FeedbackEntry[]>();
  const found: (string | null)[] = [];
  let bytes = 0;
  for (const { id, runId } of requested) {
    if (!known.has(runId)) {
      const number = segments.get(runId);
      const together = number === undefined ? [runId] : runsIn(segments, number);
      const lists = number === undefined ? NONE : await listsIn(env.SEGMENTS, store, number, new Set(together));
      if (store.commits !== commits) return null;
      for (const run of together) {
        const entries = entriesOf(store, run, lists.get(run));
        known.set(
          run,
          entries.filter((entry) => wanted.has(entry.id)),
        );
      }
    }
    const json = known.get(runId)?.find((entry) => entry.id === id)?.json ?? null;
    bytes += feedbackBytes(json);
    if (bytes > maxBytes) break;
    found.push(json);
  }
  return found;
}

const NONE: ReadonlyMap<string, Uint8Array> = new Map();

const runsIn = (segments: ReadonlyMap<string, number>, number: number): readonly string[] =>
  [...segments].flatMap(([runId, segment]) => (segment === number ? [runId] : []));

function entriesOf(store: ShardStore, runId: string, list: Uint8Array | undefined): readonly FeedbackEntry[] {
  const editor = feedbackListEditor(list === undefined ? [] : feedbackEntries(new TextDecoder().decode(list)));
  for (const { feedback } of store.hot.feedback(runId)) if (feedback !== null) editor.apply(feedback);
  return editor.entries();
}

async function listsIn(
  bucket: R2Bucket,
  store: ShardStore,
  number: number,
  runIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const key = store.objects.keyOf(number);
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const object = await bucket.get(key, { range: { offset, length } });
    if (object === null) throw new Error(`the segment ${key} is missing from its bucket`);
    return new Uint8Array(await object.arrayBuffer());
  };
  return feedbackOfRuns(store.footer(number), read, runIds);
}
