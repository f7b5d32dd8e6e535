/**
 * An immutable collection by id for states that grow to many thousand entries: it keeps insertion order, and a
 * change copies one of 256 buckets instead of everything, so that folding a long log stays near linear.
 */
export interface BucketMap<T> {
  readonly size: number;
  readonly buckets: readonly (ReadonlyMap<string, RoutedCount<T>> | undefined)[];
  /** How many ids were ever new in it: the place of the next one. */
  readonly places: number;
}

interface RoutedCount<T> {
  readonly place: number;
  readonly value: T;
}

const BUCKETS = 256;

const EMPTY: BucketMap<never> = { size: 0, buckets: Array.from({ length: BUCKETS }, () => undefined), places: 0 };

export const emptyBucketMap = <T>(): BucketMap<T> => EMPTY;

export const lookUp = <T>(table: BucketMap<T>, id: string): T | undefined =>
  table.buckets[bucketOf(id)]?.get(id)?.value;

/** The table with `value` under `id`: added at the end, or in its old place when the id is known. */
export function put<T>({ size, buckets, places }: BucketMap<T>, id: string, value: T): BucketMap<T> {
  const at = bucketOf(id);
  const known = buckets[at]?.get(id);
  const changed = buckets.with(at, new Map(buckets[at]).set(id, { place: known?.place ?? places, value }));
  return known === undefined
    ? { size: size + 1, buckets: changed, places: places + 1 }
    : { size, buckets: changed, places };
}

/** The table without the id. */
export function remove<T>(table: BucketMap<T>, id: string): BucketMap<T> {
  const at = bucketOf(id);
  const bucket = new Map(table.buckets[at]);
  return bucket.delete(id) ? { ...table, size: table.size - 1, buckets: table.buckets.with(at, bucket) } : table;
}

/** Values in the order in which their ids were added. */
export const entries = <T>(table: BucketMap<T>): T[] =>
  table.buckets
    .flatMap((bucket) => [...(bucket?.values() ?? [])])
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);

/** FNV-1a: ids are UUIDs of several versions, so no fixed pair of digits is evenly spread. */
function bucketOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}
