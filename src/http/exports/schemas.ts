import { z } from "@hono/zod-openapi";
import type { ExportDefinition, ExportRecord } from "../../domain/export/records.ts";
import { exportWarnings } from "../../domain/export/warnings.ts";
import { ALL_FIELDS } from "../../domain/run/fields.ts";
import { CATCH_UP_ORDERS, type CatchUpOrder } from "../../domain/schedule/windows.ts";
import type { ExportFailure } from "../../domain/shared/failures.ts";
import type { Compression } from "../../domain/shared/format.ts";
import { INTERVAL_HOURS } from "../../domain/shared/limits.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { shortIsoFromMicros } from "../../domain/shared/time-text.ts";
import { exportFailureText, storeText } from "../kernel/failure-text.ts";
import { closedObject, isoOrNull, runInstant, shownInstant, shownUuid, uuid } from "../kernel/fields.ts";
import { filterText } from "../kernel/filter-schema.ts";
import type { RequestFailure } from "../kernel/problems.ts";
import { exportStatusWord, meansCancelled, type WireProfile } from "../kernel/wire-profile.ts";

const FORMAT_VERSIONS = ["v1", "v2_beta"] as const;
const COMPRESSIONS = ["zstandard", "snappy", "gzip", "none"] as const;

/** Characters of a refused value that an error text quotes. */
const MAX_QUOTED_CHARACTERS = 80;

const exportField = z.enum(ALL_FIELDS, {
  error: (issue) =>
    `Unknown field ${JSON.stringify(issue.input)?.slice(0, MAX_QUOTED_CHARACTERS)}. The fields are: ${ALL_FIELDS.join(", ")}.`,
});

const exportFields = z
  .array(exportField)
  .min(1, { error: "Name at least one field, or leave export_fields out to export all fields except feedbacks" })
  .superRefine((fields, context) => {
    fields.forEach((field, at) => {
      if (fields.indexOf(field) === at) return;
      context.addIssue({ code: "custom", path: [at], message: `The field ${field} is named twice` });
    });
  });

const intervalHours = z
  .int({ error: (issue) => (issue.input === undefined ? undefined : "Input should be a whole number of hours") })
  .min(INTERVAL_HOURS.min, { error: `Input should be at least ${INTERVAL_HOURS.min} hour` })
  .max(INTERVAL_HOURS.max, { error: `Input should be at most ${INTERVAL_HOURS.max} hours` });

interface WindowSent {
  readonly start_time: number;
  readonly end_time?: number | null | undefined;
  readonly interval_hours?: number | null | undefined;
  readonly catch_up?: CatchUpOrder | null | undefined;
}

const ONE_OFF = "A one-off export has no windows to catch up with; leave catch_up out, or set interval_hours";

interface WindowProblem {
  readonly member: "end_time" | "catch_up";
  readonly type: string;
  readonly message: string;
}

/** One-off exports have an end, schedules have an interval, never both [EXP-10]. null: the members are valid. */
const windowProblem = (sent: WindowSent): WindowProblem | null => {
  const end = sent.end_time ?? null;
  const scheduled = (sent.interval_hours ?? null) !== null;
  if (end === null) {
    if (scheduled) return null;
    return {
      member: "end_time",
      type: "missing",
      message: "A one-off export needs end_time; a scheduled one needs interval_hours instead",
    };
  }
  const refuse = (member: WindowProblem["member"], message: string) => ({ member, type: "value_error", message });
  if (scheduled) return refuse("end_time", "A scheduled export has no end_time; leave it out");
  if (end <= sent.start_time) return refuse("end_time", "end_time must be later than start_time");
  return (sent.catch_up ?? null) === null ? null : refuse("catch_up", ONE_OFF);
};

/** Members that only the original service supports are accepted if they change nothing, refused otherwise. */
const members = closedObject({
  bulk_export_destination_id: uuid,
  session_id: uuid,
  all_experiments: z.literal(false, { error: "all_experiments is not supported; name one session_id" }).nullish(),
  start_time: runInstant,
  end_time: runInstant.nullish().openapi({ type: ["string", "null"], format: "date-time" }),
  filter: filterText.nullish(),
  format: z.literal("Parquet", { error: "The only format is Parquet" }).nullish(),
  format_version: z.enum(FORMAT_VERSIONS).nullish(),
  compression: z.enum(COMPRESSIONS).nullish(),
  interval_hours: intervalHours.nullish(),
  catch_up: z.enum(CATCH_UP_ORDERS).nullish(),
  export_fields: exportFields.nullish(),
});

const checkWindow = (sent: WindowSent, context: z.core.$RefinementCtx<unknown>): void => {
  const problem = windowProblem(sent);
  if (problem === null) return;
  context.addIssue({
    code: "custom",
    path: [problem.member],
    message: problem.message,
    params: { type: problem.type },
  });
};

/** Body of a creation [EXP-8]. */
export const bulkExportCreate = members.superRefine(checkWindow).openapi("BulkExportCreate");

/** Body of an estimate: like a creation, but the destination is optional. */
export const bulkExportEstimate = members
  .partial({ bulk_export_destination_id: true })
  .superRefine(checkWindow)
  .openapi("BulkExportEstimateCreate");

/**
 * Body of a clone [EXP-6]: any members of a creation. Absent members keep the original's value. null removes the
 * original's `end_time`, `interval_hours`, `filter` or `export_fields`; for other members it keeps the original's value.
 */
export const bulkExportClone = members.partial().openapi("BulkExportClone").prefault({});

/** Translates a valid creation into the definition of an export. */
export const definitionOf = (
  sent: z.output<typeof bulkExportCreate>,
  given: {
    readonly id: string;
    readonly tenantId: string;
    readonly now: number;
    readonly defaultCompression: Compression;
  },
): ExportDefinition => ({
  id: given.id,
  tenantId: given.tenantId,
  destinationId: sent.bulk_export_destination_id,
  projectId: sent.session_id,
  start: sent.start_time,
  end: sent.end_time ?? null,
  intervalHours: sent.interval_hours ?? null,
  catchUp: (sent.interval_hours ?? null) === null ? null : (sent.catch_up ?? "oldest_first"),
  filter: sent.filter ?? null,
  exportFields: sent.export_fields ?? null,
  formatVersion: sent.format_version ?? "v1",
  compression: sent.compression ?? given.defaultCompression,
  sourceExportId: null,
  retryOfRunId: null,
  createdAt: given.now,
});

/** The definition of a clone: the original's with the members sent replaced. Refused if not valid as a creation [EXP-28]. */
export const cloneOf = (
  original: ExportDefinition,
  sent: z.output<typeof bulkExportClone>,
  given: { readonly id: string; readonly now: number },
): Result<ExportDefinition, RequestFailure> => {
  const { tenantId, compression: defaultCompression } = original;
  const merged = {
    end_time: original.end,
    interval_hours: original.intervalHours,
    filter: original.filter,
    export_fields: original.exportFields === null ? null : [...original.exportFields],
    ...sent,
    bulk_export_destination_id: sent.bulk_export_destination_id ?? original.destinationId,
    session_id: sent.session_id ?? original.projectId,
    start_time: sent.start_time ?? original.start,
    format_version: sent.format_version ?? original.formatVersion,
  };
  const problem = windowProblem(merged);
  const catchUp = merged.catch_up ?? (merged.interval_hours === null ? null : original.catchUp);
  if (problem === null)
    return ok(definitionOf({ ...merged, catch_up: catchUp }, { ...given, tenantId, defaultCompression }));
  return fail({ reason: "invalid", loc: ["body", problem.member], message: problem.message, type: problem.type });
};

/** Body of a PATCH [EXP-4]. `{}` cancels too, so a misspelt member must be refused. */
export const bulkExportUpdate = closedObject({
  status: z
    .string()
    .refine(meansCancelled, { error: "The only status to set is Cancelled", params: { type: "enum" } })
    .optional(),
}).openapi("BulkExportUpdate");

const exportWarning = z
  .object({ code: z.enum(["window_ends_in_future"]), message: z.string() })
  .openapi("BulkExportWarning");

/** An export in an answer. `rows_written`, `rows_planned` and `errors` are additions to the record of the original service. */
export const bulkExportShown = (profile: WireProfile) =>
  z
    .object({
      id: shownUuid,
      tenant_id: shownUuid,
      bulk_export_destination_id: shownUuid,
      session_id: shownUuid,
      all_experiments: z.literal(false),
      status: z.enum(profile.exportStatuses),
      start_time: shownInstant,
      end_time: shownInstant.nullable(),
      interval_hours: z.int().nullable(),
      catch_up: z.enum(CATCH_UP_ORDERS).nullable().openapi({
        description: "In which order a schedule exports the windows before its creation; null: a one-off export.",
      }),
      source_bulk_export_id: shownUuid.nullable(),
      retry_of_run_id: shownUuid.nullable().openapi({ description: "The failed run whose range this export covers." }),
      filter: z.string().nullable(),
      export_fields: z.array(z.enum(ALL_FIELDS)).nullable(),
      format: z.literal("Parquet"),
      format_version: z.enum(FORMAT_VERSIONS),
      compression: z.enum(COMPRESSIONS),
      created_at: shownInstant,
      updated_at: shownInstant,
      finished_at: shownInstant.nullable(),
      paused_at: shownInstant.nullable().openapi({ description: "Null: the export is not paused, or it has ended." }),
      rows_written: z.int().openapi({ description: "Rows in the committed files of all runs so far." }),
      rows_planned: z.int().openapi({ description: "Sum of `rows_planned` over all runs so far." }),
      errors: z.record(z.string(), z.string()).nullable().openapi({
        description:
          "`manifest`: why the manifest could not be written. `run`: which run failed; its own errors say why. `project`: the project was deleted. `timeout`: the limit that was over, and how far the export came. Null in lists.",
      }),
      warnings: z.array(exportWarning).openapi({
        description: "What may be unexpected, though the export is carried out as ordered; empty: nothing.",
      }),
    })
    .openapi("BulkExport");

/** The record of an export in its wire shape. */
export const showExport = (
  profile: WireProfile,
  record: ExportRecord,
): z.output<ReturnType<typeof bulkExportShown>> => ({
  id: record.id,
  tenant_id: record.tenantId,
  bulk_export_destination_id: record.destinationId,
  session_id: record.projectId,
  all_experiments: false,
  status: exportStatusWord(profile, record),
  start_time: shortIsoFromMicros(record.start),
  end_time: record.end === null ? null : shortIsoFromMicros(record.end),
  interval_hours: record.intervalHours,
  catch_up: record.catchUp,
  source_bulk_export_id: record.sourceExportId,
  retry_of_run_id: record.retryOfRunId,
  filter: record.filter,
  export_fields: record.exportFields === null ? null : [...record.exportFields],
  format: "Parquet",
  format_version: record.formatVersion,
  compression: record.compression,
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
  finished_at: isoOrNull(record.finishedAt),
  paused_at: isoOrNull(record.pausedAt),
  rows_written: record.rowsWritten,
  rows_planned: record.rowsPlanned,
  errors: errorsOf(record),
  warnings: exportWarnings(record).map((warning) => ({ ...warning })),
});

const errorsOf = ({ manifestFailure, failure }: ExportRecord): Record<string, string> | null => {
  if (failure !== null) return { [ERROR_NAMES[failure.reason]]: exportFailureText(failure) };
  return manifestFailure === null ? null : { manifest: storeText(manifestFailure) };
};

/** The member of `errors` for each end of an export. */
const ERROR_NAMES: Readonly<Record<ExportFailure["reason"], string>> = {
  run_failed: "run",
  project_deleted: "project",
  export_timeout: "timeout",
};
