import type { SegmentRow } from "../../domain/run/row.ts";
import { compareTexts } from "../query/order.ts";

/** Whether the run failed; segments keep failed runs together. */
export const hasFailed = ({ status }: Pick<SegmentRow, "status">): boolean => status === "error";

type OrderedRow = Pick<SegmentRow, "id" | "status" | "dotted_order" | "start_time">;

/**
 * Order of the rows of a segment. Failed runs come first: they are few and often queried, so they share pages. Then the
 * runs of each trace are together, parents before children, whose messages repeat those of the parents. That compresses
 * best and is close to the order of time. Runs without a position in their trace come last.
 */
export const inRowOrder = (a: OrderedRow, b: OrderedRow): number =>
  Number(hasFailed(b)) - Number(hasFailed(a)) ||
  Number(a.dotted_order === null) - Number(b.dotted_order === null) ||
  compareTexts(a.dotted_order ?? "", b.dotted_order ?? "") ||
  a.start_time - b.start_time ||
  compareTexts(a.id, b.id);
