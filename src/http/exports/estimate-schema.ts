import { z } from "@hono/zod-openapi";
import type { EstimateQuestion } from "../../../durable/source/port/estimate.ts";
import { windowOf } from "../../domain/schedule/windows.ts";
import type { Window } from "../../domain/shared/time.ts";
import type { Settings } from "../../settings.ts";
import type { bulkExportEstimate } from "./schemas.ts";

/** Estimate of an export that is created with the same body now. */
export const estimateShown = z
  .object({
    rows: z.int(),
    bytes: z.int().openapi({ description: "Size of all files; if exact, too large by less than 1 KiB per segment." }),
    files: z.int(),
    parts: z.int().openapi({ description: "Upload requests: one per small file, one per part of a large file." }),
    days: z.int().openapi({ description: "UTC days; each day is one run of the export." }),
    exact: z.boolean().openapi({
      description:
        "Whether an export started now would write exactly these rows and files. False if traces wait to be sealed, " +
        "if the window cuts a segment (its rows are counted in proportion), if the compression is not zstandard, or " +
        "if a filter is given (a segment that may contain matching runs is counted as a whole).",
    }),
  })
  .openapi("BulkExportEstimate");

/** The window of the body; for a schedule, its first window. */
const windowOfBody = (sent: z.output<typeof bulkExportEstimate>): Window =>
  sent.interval_hours
    ? windowOf(sent.start_time, sent.interval_hours, 0)
    : { start: sent.start_time, end: sent.end_time ?? sent.start_time };

/** Translates a valid body into the question for the source. */
export const questionOf = (
  sent: z.output<typeof bulkExportEstimate>,
  { defaultCompression, limits }: Settings,
): EstimateQuestion => ({
  window: windowOfBody(sent),
  exportFields: sent.export_fields ?? null,
  formatVersion: sent.format_version ?? "v1",
  compression: sent.compression ?? defaultCompression,
  filter: sent.filter ?? null,
  limits,
});
