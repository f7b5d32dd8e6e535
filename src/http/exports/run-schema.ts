import { z } from "@hono/zod-openapi";
import type { ExportRunRecord } from "../../domain/export-run/records.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { shortIsoFromMicros } from "../../domain/shared/time-text.ts";
import { exportFailureText, runFailureText } from "../kernel/failure-text.ts";
import { isoOrNull, shownInstant, shownUuid } from "../kernel/fields.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";

/** Progress of a run. `rows_planned` and `bytes_written` are additions to the record of the original service. */
const progressShown = z.object({
  rows_written: z.int(),
  exported_files: z.array(z.string()).openapi({ description: "Committed files as `<bucket>/<key>`." }),
  export_path: z.string(),
  latest_cursor: z.string().nullable(),
  pending_upload: z.null(),
  rows_planned: z.int().openapi({
    description: "Rows that this run writes. Before its files are planned: all rows of the segments it reads.",
  }),
  bytes_written: z.int(),
});

const openUploadShown = z.object({
  key: z.string(),
  upload_id: z.string(),
  error: z.string().nullable().openapi({ description: "Why aborting it failed the last time; null: not tried yet." }),
});

/** A run of an export in an answer: one UTC day or a part of one. */
export const exportRunShown = (profile: WireProfile) =>
  z
    .object({
      id: shownUuid,
      bulk_export_id: shownUuid,
      session_id: shownUuid,
      status: z.enum(profile.runStatuses),
      retry_number: z.int(),
      errors: z.record(z.string(), z.string()).nullable().openapi({
        description:
          "Errors by attempt: `retry_0`, `retry_1`, ... `export`: why the export ended while this run was not done.",
      }),
      metadata: z.object({
        prefix: z.string(),
        start_time: shownInstant,
        end_time: shownInstant,
        execution_backend: z.null(),
        result: progressShown.nullable(),
        open_upload: openUploadShown.nullable().openapi({
          description:
            "The multipart upload that the run had open when it ended and has not aborted; its parts may cost storage. The " +
            "sweep of the destination may have aborted it since.",
        }),
      }),
      created_at: shownInstant,
      updated_at: shownInstant,
      finished_at: shownInstant.nullable(),
      start_time: shownInstant,
      end_time: shownInstant,
      late: z.boolean().openapi({
        description: "Whether the run exports late rows only: rows that arrived after their window was exported.",
      }),
    })
    .openapi("BulkExportRun");

/** The record of a run in its wire shape. */
export const showRun = (
  profile: WireProfile,
  record: ExportRunRecord,
): z.output<ReturnType<typeof exportRunShown>> => ({
  id: record.id,
  bulk_export_id: record.exportId,
  session_id: record.projectId,
  status: profile.statusWords[record.status],
  retry_number: record.retryNumber,
  errors: errorsOf(record),
  metadata: {
    prefix: record.prefix,
    start_time: shortIsoFromMicros(record.start),
    end_time: shortIsoFromMicros(record.end),
    execution_backend: null,
    result: progressOf(record.progress),
    open_upload: openUploadOf(record.openUpload),
  },
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
  finished_at: isoOrNull(record.finishedAt),
  start_time: shortIsoFromMicros(record.start),
  end_time: shortIsoFromMicros(record.end),
  late: record.late,
});

const errorsOf = ({ failures, exportFailure }: ExportRunRecord): Record<string, string> | null => {
  const errors: Record<string, string> = {};
  for (const { retry, failure } of failures) errors[`retry_${retry}`] = runFailureText(failure);
  if (exportFailure !== null) errors.export = exportFailureText(exportFailure);
  return Object.keys(errors).length === 0 ? null : errors;
};

const openUploadOf = (open: ExportRunRecord["openUpload"]): z.output<typeof openUploadShown> | null =>
  open === null
    ? null
    : {
        key: open.key,
        upload_id: open.uploadId,
        error: open.failure === null ? null : runFailureText(open.failure),
      };

const progressOf = (progress: ExportRunRecord["progress"]): z.output<typeof progressShown> | null =>
  progress === null
    ? null
    : {
        rows_written: progress.rowsWritten,
        exported_files: [...progress.files],
        export_path: progress.exportPath,
        latest_cursor: progress.cursor,
        pending_upload: null,
        rows_planned: progress.rowsPlanned,
        bytes_written: progress.bytesWritten,
      };
