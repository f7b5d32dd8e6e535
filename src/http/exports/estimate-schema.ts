import { z } from "@hono/zod-openapi";
import type { EstimateQuestion } from "../../../durable/source/estimate.ts";
import type { Project } from "../../domain/project/records.ts";
import { windowOf } from "../../domain/schedule/windows.ts";
import type { Window } from "../../domain/shared/time.ts";
import type { Settings } from "../../settings.ts";
import type { bulkExportEstimate } from "./schemas.ts";

/** What an export of that body would hold now. */
export const estimateShown = z
  .object({
    rows: z.int(),
    bytes: z.int().openapi({ description: "Size of all files; when exact, too large by less than 1 KiB per segment." }),
    files: z.int(),
    parts: z.int().openapi({ description: "Uploads: one for a small file, one per part of a large one." }),
    days: z.int().openapi({ description: "UTC days, each of which is a run." }),
    exact: z.boolean().openapi({
      description:
        "Whether rows and files are those of an export started now. Not while traces wait to be sealed, nor when the " +
        "window cuts a segment (its rows are counted in proportion), nor with another compression than zstandard, nor " +
        "with a filter: segments in which runs may match are counted whole.",
    }),
  })
  .openapi("BulkExportEstimate");

/** The window that the body names; of a schedule its first one. */
const windowOfBody = (sent: z.output<typeof bulkExportEstimate>): Window =>
  sent.interval_hours
    ? windowOf(sent.start_time, sent.interval_hours, 0)
    : { start: sent.start_time, end: sent.end_time ?? sent.start_time };

/** The question that a valid body stands for. */
export const questionOf = (
  sent: z.output<typeof bulkExportEstimate>,
  project: Project,
  { defaultCompression, limits }: Settings,
): EstimateQuestion => ({
  project,
  window: windowOfBody(sent),
  exportFields: sent.export_fields ?? null,
  formatVersion: sent.format_version ?? "v1",
  compression: sent.compression ?? defaultCompression,
  filter: sent.filter ?? null,
  limits,
});
