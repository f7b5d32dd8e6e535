/**
 * An immutable map by id, in insertion order, for states with many thousand entries. A change copies one of 4,096 buckets
 * and the path to it, so that folding a long log stays near linear.
 */
export interface BucketMap<T> {
  readonly size: number;
  readonly branches: readonly Branch<T>[];
  /** Number of ids ever added: the place of the next one. */
  readonly places: number;
}

type Branch<T> = readonly (Bucket<T> | undefined)[];
type Bucket<T> = ReadonlyMap<string, Placed<T>>;

interface Placed<T> {
  readonly place: number;
  readonly value: T;
}

/** Branches of a map, and buckets of a branch. */
const WIDTH = 64;

const EMPTY_BRANCH: Branch<never> = Array.from({ length: WIDTH }, () => undefined);
const EMPTY: BucketMap<never> = { size: 0, branches: Array.from({ length: WIDTH }, () => EMPTY_BRANCH), places: 0 };

export const emptyBucketMap = <T>(): BucketMap<T> => EMPTY;

export const lookUp = <T>(map: BucketMap<T>, id: string): T | undefined => bucketAt(map, hashOf(id))?.get(id)?.value;

/** The map with `value` under `id`: at the end, or at its old place if the id is known. */
export function put<T>(map: BucketMap<T>, id: string, value: T): BucketMap<T> {
  const { size, places } = map;
  const hash = hashOf(id);
  const bucket = bucketAt(map, hash);
  const known = bucket?.get(id);
  const changed = new Map(bucket).set(id, { place: known?.place ?? places, value });
  const branches = withBucket(map, hash, changed);
  return known === undefined ? { size: size + 1, branches, places: places + 1 } : { size, branches, places };
}

/** The map without the id. */
export function remove<T>(map: BucketMap<T>, id: string): BucketMap<T> {
  const hash = hashOf(id);
  const bucket = new Map(bucketAt(map, hash));
  if (!bucket.delete(id)) return map;
  return { ...map, size: map.size - 1, branches: withBucket(map, hash, bucket) };
}

/** Values in insertion order. */
export const entries = <T>(map: BucketMap<T>): T[] =>
  map.branches
    .filter((branch) => branch !== EMPTY_BRANCH)
    .flat()
    .filter((bucket) => bucket !== undefined)
    .flatMap((bucket) => [...bucket.values()])
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);

const bucketAt = <T>({ branches }: BucketMap<T>, hash: number): Bucket<T> | undefined =>
  branches[branchOf(hash)]?.[hash % WIDTH];

function withBucket<T>({ branches }: BucketMap<T>, hash: number, bucket: Bucket<T>): readonly Branch<T>[] {
  const at = branchOf(hash);
  const branch = branches[at] ?? EMPTY_BRANCH;
  return branches.with(at, branch.with(hash % WIDTH, bucket));
}

const branchOf = (hash: number): number => Math.floor(hash / WIDTH) % WIDTH;

/** FNV-1a: ids are UUIDs of several versions, so no fixed pair of digits is evenly spread. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
