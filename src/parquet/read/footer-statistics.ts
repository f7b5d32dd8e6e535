import type { GroupStatistics } from "../../filter/evaluate/statistics.ts";
import type { Footer } from "../footer.ts";

/** What the footer of a segment tells a filter; of a list, rows without items count as missing. */
export const statisticsOf = ({ rows, chunks }: Footer): GroupStatistics => ({
  rows,
  column: (name) => chunks.find((chunk) => chunk.column === name)?.statistics,
});
