import { type ChangeKind, type RunChange, startOf } from "../run/change.ts";

/**
 * Which hot runs are sealed into segments now. A run that has ended is unlikely to change again; sealing one that has
 * not means rewriting its segment later. So ended runs go first, others when they are old or when too much is hot.
 */

/** What is known of a stored change without reading it. Instants in epoch milliseconds, `start` in microseconds. */
export interface HotChange extends StartHint {
  readonly seq: number;
  readonly run: string;
  readonly kind: ChangeKind;
  readonly ended: boolean;
  readonly at: number;
  readonly bytes: number;
}

/** When a change says its run began, and how much weight that has against other changes: the greater rank wins. */
export interface StartHint {
  readonly start: number | null;
  readonly rank: number;
}

/** All hot changes of one run. */
export interface HotRun {
  readonly id: string;
  /** In order of acceptance. */
  readonly seqs: readonly number[];
  /** Null: unknown as far as the hot changes go. */
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
  /** `everything`: a snapshot was asked for. `due`: what is worth sealing at this time. */
  readonly scope: "everything" | "due";
  readonly now: number;
  readonly hotBytes: number;
  readonly sealBytes: number;
  readonly sealAgeMs: number;
  /** Hot bytes at which nothing more is taken: then nothing may wait any longer. */
  readonly maxHotBytes: number;
}

export interface SealPlan {
  /** Runs for new segments, in the order in which they fill them. */
  readonly fresh: readonly HotRun[];
  /** Runs to be folded into the segment that holds them. */
  readonly folds: ReadonlyMap<number, readonly HotRun[]>;
  /** Ids of all others: they stay hot. */
  readonly left: ReadonlySet<string>;
  /** When the oldest of the sealable runs left alone was first heard of; null: none is left. */
  readonly oldestLeftAt: number | null;
}

/** With so many times `sealBytes` hot, runs are sealed although they have not ended. */
const PATIENCE = 4;

/** Ranks of start times; below are dotted orders. */
const POSTED_START = 3;
const PATCHED_START = 4;

/** Agrees with `mergeChanges`: a patched start time beats a posted one, and that a dotted order. */
export function startHint(change: RunChange): StartHint {
  if (change.kind === "feedback") return { start: null, rank: 0 };
  const start = startOf(change);
  if (change.start_time === null) return { start, rank: 1 };
  return { start, rank: change.kind === "patch" ? PATCHED_START : POSTED_START };
}

/** Gathers changes, given in order of acceptance, by their runs. */
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

/** Chooses what to seal. Runs of which nobody said when they began stay hot: they cannot be exported. */
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

/** The order in which runs fill segments, so that each holds those of a short time. */
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

/** Of start times of one rank the later counts, of dotted orders the first. */
const isBetter = (next: StartHint, best: StartHint): boolean =>
  next.rank >= POSTED_START ? next.rank >= best.rank : best.start === null;
