import type { GroupStatistics } from "../../filter/evaluate/statistics.ts";
import type { Footer } from "../footer.ts";

/** The statistics in the footer of a segment, for filters. Of a list, rows without items count as missing. */
export const statisticsOf = ({ rows, chunks }: Footer): GroupStatistics => ({
  rows,
  column: (name) => chunks.find((chunk) => chunk.column === name)?.statistics,
});
