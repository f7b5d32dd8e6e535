import type { SegmentRow } from "../parquet/row.ts";

type OrderedRow = Pick<SegmentRow, "id" | "status" | "dotted_order" | "start_time">;

/**
 * Order of the rows of a segment. Runs that failed come first: they are few and often asked for, and so share pages
 * that hold little else. Then each trace stands together, parents before their children, whose messages repeat those
 * of the parents: that compresses best, and is about the order of time. Runs that do not say where in their trace they
 * belong come last.
 */
export const inRowOrder = (a: OrderedRow, b: OrderedRow): number =>
  Number(b.status === "error") - Number(a.status === "error") ||
  Number(a.dotted_order === null) - Number(b.dotted_order === null) ||
  compared(a.dotted_order ?? "", b.dotted_order ?? "") ||
  a.start_time - b.start_time ||
  compared(a.id, b.id);

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
