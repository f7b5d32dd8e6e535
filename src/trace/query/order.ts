/** The order of runs in a query, and the cursor that continues an earlier request. */

/** `desc`: the newest first. */
export type Order = "asc" | "desc";

/**
 * Position of a run among all runs of a tenant: its start in epoch microseconds, then its id, then its project. A
 * position without ids is before all runs with that start, in ascending order.
 */
export interface Position {
  readonly start: number;
  readonly id: string;
  readonly projectId: string;
}

/** Below 0 if `a` comes before `b`. */
export function comparePositions(order: Order, a: Position, b: Position): number {
  const ascending = a.start - b.start || compareTexts(a.id, b.id) || compareTexts(a.projectId, b.projectId);
  return order === "asc" ? ascending : -ascending;
}

/** By UTF-16 code units, as sort does. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The position before every run that began at this instant or comes after it. */
export const placeBefore = (order: Order, start: number): Position => ({
  start: order === "asc" ? start : start + 1,
  id: "",
  projectId: "",
});

/** The hits of one of several sources: complete up to `stoppedAt`; null: complete. */
export interface Found<Hit extends Position> {
  readonly hits: readonly Hit[];
  readonly stoppedAt: Position | null;
}

/** The merged hits of several sources, complete up to the first position at which one of them stopped. */
export function mergeFound<Hit extends Position>(order: Order, found: readonly Found<Hit>[]): Found<Hit> {
  const compare = (a: Position, b: Position) => comparePositions(order, a, b);
  const [stoppedAt = null] = found.flatMap((one) => one.stoppedAt ?? []).sort(compare);
  const hits = found.flatMap((one) => one.hits).sort(compare);
  return { hits: stoppedAt === null ? hits : hits.filter((hit) => compare(hit, stoppedAt) <= 0), stoppedAt };
}

/** The first `limit` hits. */
export function firstOf<Hit extends Position>({ hits, stoppedAt }: Found<Hit>, limit: number): Found<Hit> {
  const last = hits[limit - 1];
  return last === undefined ? { hits, stoppedAt } : { hits: hits.slice(0, limit), stoppedAt: last };
}

/** A position as opaque text. */
export const cursorOf = ({ start, id, projectId }: Position): string =>
  btoa(`${start}/${id}/${projectId}`).replaceAll("=", "");

const POSITION = /^(\d{1,16})\/([0-9a-f-]{0,36})\/([0-9a-f-]{0,36})$/;

/** null: the text is not a cursor. */
export function positionOf(cursor: string): Position | null {
  if (!/^[A-Za-z0-9+/]*$/.test(cursor) || cursor.length % 4 === 1) return null;
  const match = POSITION.exec(atob(cursor));
  if (match === null) return null;
  const [, start = "", id = "", projectId = ""] = match;
  return { start: Number(start), id, projectId };
}
