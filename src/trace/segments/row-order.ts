import type { SegmentRow } from "../../domain/run/row.ts";
import { compareTexts } from "../query/order.ts";

/** Whether the run failed; segments keep those that did apart. */
export const hasFailed = ({ status }: Pick<SegmentRow, "status">): boolean => status === "error";

type OrderedRow = Pick<SegmentRow, "id" | "status" | "dotted_order" | "start_time">;

/**
 * Order of the rows of a segment. Runs that failed come first: they are few and often asked for, and so share pages
 * that hold little else. Then each trace stands together, parents before their children, whose messages repeat those
 * of the parents: that compresses best, and is about the order of time. Runs that do not say where in their trace they
 * belong come last.
 */
export const inRowOrder = (a: OrderedRow, b: OrderedRow): number =>
  Number(hasFailed(b)) - Number(hasFailed(a)) ||
  Number(a.dotted_order === null) - Number(b.dotted_order === null) ||
  compareTexts(a.dotted_order ?? "", b.dotted_order ?? "") ||
  a.start_time - b.start_time ||
  compareTexts(a.id, b.id);
