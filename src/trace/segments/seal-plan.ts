import { type ChangeKind, type RunChange, startOf } from "../run/change.ts";

/**
 * Which hot runs are sealed now. A run that has ended is unlikely to change; sealing an unfinished one means a rewrite
 * of its segment later. So ended runs go first, others when they are old or when too much is hot.
 */

/** Metadata of a stored change. Instants in epoch milliseconds, `start` in microseconds. */
export interface HotChange extends StartHint {
  readonly seq: number;
  readonly run: string;
  readonly kind: ChangeKind;
  readonly ended: boolean;
  readonly at: number;
  readonly bytes: number;
}

/** The start time that a change sets, and its rank: the start with the highest rank wins. */
export interface StartHint {
  readonly start: number | null;
  readonly rank: number;
}

/** All hot changes of one run. */
export interface HotRun {
  readonly id: string;
  /** In order of acceptance. */
  readonly seqs: readonly number[];
  /** null: unknown from the hot changes. */
  readonly start: number | null;
  readonly ended: boolean;
  readonly oldestAt: number;
  readonly bytes: number;
  /** Whether a post or patch is among the changes. */
  readonly known: boolean;
  /** Number of the segment that holds the run already. */
  readonly segment: number | null;
}

export interface SealPolicy {
  /** `everything`: for a snapshot. `due`: what is worth sealing at this time. */
  readonly scope: "everything" | "due";
  readonly now: number;
  readonly hotBytes: number;
  readonly sealBytes: number;
  readonly sealAgeMs: number;
  /** Hot bytes at which new changes are refused: then all runs are sealed. */
  readonly maxHotBytes: number;
}

export interface SealPlan {
  /** Runs for new segments, in the order of writing. */
  readonly fresh: readonly HotRun[];
  /** Runs to be merged into the segment that holds them. */
  readonly folds: ReadonlyMap<number, readonly HotRun[]>;
  /** Ids of all other runs: they stay hot. */
  readonly left: ReadonlySet<string>;
  /** When the first change of the oldest sealable run left hot arrived; null: none is left. */
  readonly oldestLeftAt: number | null;
}

/** Above PATIENCE times `sealBytes` of hot bytes, unfinished runs are sealed too. */
const PATIENCE = 4;

/** Ranks of start times; dotted orders have lower ranks. */
const POSTED_START = 3;
const PATCHED_START = 4;

/** Agrees with `mergeChanges`: a patched start time beats a posted one, which beats a dotted order. */
export function startHint(change: RunChange): StartHint {
  if (change.kind === "feedback") return { start: null, rank: 0 };
  const start = startOf(change);
  if (change.start_time === null) return { start, rank: 1 };
  return { start, rank: change.kind === "patch" ? PATCHED_START : POSTED_START };
}

/** Groups changes, given in order of acceptance, by run. */
export function groupByRun(changes: readonly HotChange[], segmentOf: ReadonlyMap<string, number>): HotRun[] {
  const groups = new Map<string, HotChange[]>();
  for (const change of changes) {
    const group = groups.get(change.run);
    if (group === undefined) groups.set(change.run, [change]);
    else group.push(change);
  }
  return [...groups].map(([id, group]) => ({
    id,
    seqs: group.map(({ seq }) => seq),
    start: startAmong(group),
    ended: group.some(({ ended }) => ended),
    oldestAt: Math.min(...group.map(({ at }) => at)),
    bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
    known: group.some(({ kind }) => kind !== "feedback"),
    segment: segmentOf.get(id) ?? null,
  }));
}

/** Chooses what to seal. Runs without a start time stay hot: they cannot be exported. */
export function planSeal(runs: readonly HotRun[], policy: SealPolicy): SealPlan {
  const fresh: HotRun[] = [];
  const folds = new Map<number, HotRun[]>();
  const left = new Set<string>();
  let oldestLeftAt: number | null = null;
  for (const run of runs) {
    if (!isSealable(run)) {
      left.add(run.id);
    } else if (!isDue(run, policy)) {
      left.add(run.id);
      oldestLeftAt = Math.min(oldestLeftAt ?? run.oldestAt, run.oldestAt);
    } else if (run.segment === null) {
      fresh.push(run);
    } else {
      const fold = folds.get(run.segment);
      if (fold === undefined) folds.set(run.segment, [run]);
      else fold.push(run);
    }
  }
  fresh.sort(inTimeOrder);
  return { fresh, folds, left, oldestLeftAt };
}

/** The order in which runs fill segments, so that each segment covers a short time. */
export const inTimeOrder = (
  a: { readonly start: number | null; readonly id: string },
  b: { readonly start: number | null; readonly id: string },
): number => (a.start ?? 0) - (b.start ?? 0) || (a.id < b.id ? -1 : 1);

const isSealable = (run: HotRun): boolean => run.segment !== null || (run.known && run.start !== null);

function isDue(run: HotRun, { scope, now, hotBytes, sealBytes, sealAgeMs, maxHotBytes }: SealPolicy): boolean {
  if (scope === "everything" || hotBytes >= Math.min(PATIENCE * sealBytes, maxHotBytes)) return true;
  return run.ended || now - run.oldestAt >= sealAgeMs;
}

function startAmong(changes: readonly HotChange[]): number | null {
  let best: StartHint = { start: null, rank: 0 };
  for (const change of changes) if (change.start !== null && isBetter(change, best)) best = change;
  return best.start;
}

/** Of start times of one rank the last counts, of dotted orders the first. */
const isBetter = (next: StartHint, best: StartHint): boolean =>
  next.rank >= POSTED_START ? next.rank >= best.rank : best.start === null;
