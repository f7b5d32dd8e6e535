/**
 * An immutable collection by id for states that grow to many thousand entries: it keeps insertion order, and a
 * change copies one of 256 buckets instead of everything, so that folding a long log stays near linear.
 */
export interface Table<T> {
  readonly size: number;
  readonly buckets: readonly (ReadonlyMap<string, T> | undefined)[];
  /** Ids in the order in which they were added; shared and appended to, never read beyond `size`. */
  readonly order: readonly string[];
}

const BUCKETS = 256;

const EMPTY: Table<never> = { size: 0, buckets: [], order: [] };

export const emptyTable = <T>(): Table<T> => EMPTY;

export const lookUp = <T>(table: Table<T>, id: string): T | undefined => table.buckets[bucketOf(id)]?.get(id);

/** The table with `value` under `id`: added at the end, or in its old place when the id is known. */
export function put<T>(table: Table<T>, id: string, value: T): Table<T> {
  const at = bucketOf(id);
  const known = table.buckets[at]?.has(id) ?? false;
  const buckets = table.buckets.slice();
  buckets[at] = new Map(table.buckets[at]).set(id, value);
  return known ? { ...table, buckets } : { size: table.size + 1, buckets, order: append(table, id) };
}

/** The table without the id. Copies the whole order: for what happens rarely. */
export function remove<T>(table: Table<T>, id: string): Table<T> {
  const at = bucketOf(id);
  const bucket = new Map(table.buckets[at]);
  if (!bucket.delete(id)) return table;
  const buckets = table.buckets.slice();
  buckets[at] = bucket;
  return { size: table.size - 1, buckets, order: table.order.slice(0, table.size).filter((known) => known !== id) };
}

/** Values in the order in which their ids were added. */
export function* entries<T>(table: Table<T>): Generator<T> {
  for (let i = 0; i < table.size; i += 1) {
    const value = lookUp(table, table.order[i] ?? "");
    if (value !== undefined) yield value;
  }
}

/**
 * Appending in place is safe while this table is the newest one made of the shared list; another descendant of the
 * same table gets a list of its own.
 */
function append<T>(table: Table<T>, id: string): readonly string[] {
  const shared = table.order as string[]; // the one place that grows the list; readers stop at `size`
  const order = table.size > 0 && shared.length === table.size ? shared : shared.slice(0, table.size);
  order.push(id);
  return order;
}

/** FNV-1a: ids are UUIDs of several versions, so no fixed pair of digits is evenly spread. */
function bucketOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}
