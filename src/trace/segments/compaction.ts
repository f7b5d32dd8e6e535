/**
 * Which small segments of a shard are merged into one, and when.
 *
 * The result of a merge must be several times as large as its largest input, and no larger than a segment may be. So a
 * row is rewritten at most `log(MAX_ROWS) / log(growth)` times until a patch changes its segment: 8 times with the
 * growth of `SOON`, 23 times with that of `LATER`, which waits an hour each time. Few segments remain: no two of
 * similar size that fit together.
 */

/**
 * A live segment. `first`, starts (epoch microseconds) and claims have the meaning of src/domain/schedule/late.ts and
 * the shard's store.
 */
export interface LiveSegment {
  readonly number: number;
  readonly rows: number;
  /** The `rowBytes` of its rows. */
  readonly rawBytes: number;
  /** When it became live, in epoch milliseconds. */
  readonly at: number;
  readonly first: number;
  readonly minStart: number;
  readonly maxStart: number;
}

/** Rows that began in [start, end), in microseconds, and whose `first` is in (above, upto], belong to one export. */
export interface ClaimedRows {
  readonly start: number;
  readonly end: number;
  readonly above: number;
  readonly upto: number;
}

export interface SegmentBounds {
  readonly maxRows: number;
  readonly maxRawBytes: number;
}

export interface Compaction {
  /** Numbers of the segments that become one. */
  readonly segments: readonly number[];
  /** The first-seal number of the result. */
  readonly first: number;
  /** Not before this instant, in epoch milliseconds: younger neighbours may follow. */
  readonly dueAt: number;
}

/** Minimum ratio of a merge to its largest input, and how long segments must rest before. */
interface Worth {
  readonly growth: number;
  readonly restMs: number;
}

/** Three of one size, or four of similar size. The minute keeps merges away from a seal and its export. */
const SOON: Worth = { growth: 3, restMs: 60_000 };

/** Two of similar size, if no third came within an hour: the day is over, or almost. */
const LATER: Worth = { growth: 1.5, restMs: 3_600_000 };

/** The next merge: the one of most segments among those that are due; null: none. */
export function nextCompaction(
  segments: readonly LiveSegment[],
  {
    now,
    claims,
    bounds,
  }: { readonly now: number; readonly claims: readonly ClaimedRows[]; readonly bounds: SegmentBounds },
): Compaction | null {
  const bySize = [...segments].sort((a, b) => sizeOf([a], bounds) - sizeOf([b], bounds) || a.number - b.number);
  let best: Compaction | null = null;
  for (const [at, smallest] of bySize.entries()) {
    let group: readonly LiveSegment[] = [smallest];
    for (const larger of bySize.slice(at + 1)) {
      const wider = [...group, larger];
      if (sizeOf(wider, bounds) > fullSize(bounds) || !mayJoin(wider, claims)) continue;
      group = wider;
      best = betterOf(best, compactionOf(group, bounds), now);
    }
  }
  return best;
}

/** Size by rows or by bytes, whichever is closer to the limit. Integers; a full segment has `fullSize`. */
const sizeOf = (group: readonly LiveSegment[], { maxRows, maxRawBytes }: SegmentBounds): number =>
  Math.max(sumOf(group, ({ rows }) => rows) * maxRawBytes, sumOf(group, ({ rawBytes }) => rawBytes) * maxRows);

const fullSize = ({ maxRows, maxRawBytes }: SegmentBounds): number => maxRows * maxRawBytes;

/** Whether each row stays in the exports that it belongs to, and in no other. */
function mayJoin(group: readonly LiveSegment[], claims: readonly ClaimedRows[]): boolean {
  const first = firstOf(group);
  return group.every((segment) =>
    claims.every(
      (claim) =>
        segment.maxStart < claim.start ||
        segment.minStart >= claim.end ||
        isIn(claim, segment.first) === isIn(claim, first),
    ),
  );
}

const isIn = ({ above, upto }: ClaimedRows, first: number): boolean => first > above && first <= upto;

/**
 * The minimum. Rows of a window that is not exported yet may get an early number: the window's own export claims all
 * existing rows.
 */
const firstOf = (group: readonly LiveSegment[]): number => Math.min(...group.map(({ first }) => first));

function compactionOf(group: readonly LiveSegment[], bounds: SegmentBounds): Compaction | null {
  const size = sizeOf(group, bounds);
  const largest = Math.max(...group.map((segment) => sizeOf([segment], bounds)));
  const worth = [SOON, LATER].find(({ growth }) => size >= growth * largest);
  if (worth === undefined) return null;
  const youngestAt = Math.max(...group.map(({ at }) => at));
  return { segments: group.map(({ number }) => number), first: firstOf(group), dueAt: youngestAt + worth.restMs };
}

function betterOf(known: Compaction | null, found: Compaction | null, now: number): Compaction | null {
  if (known === null || found === null) return known ?? found;
  const later = Math.max(found.dueAt, now) - Math.max(known.dueAt, now);
  return later < 0 || (later === 0 && found.segments.length > known.segments.length) ? found : known;
}

const sumOf = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((sum, one) => sum + of(one), 0);
