import { z } from "@hono/zod-openapi";
import type { Project } from "../../domain/project/records.ts";
import { RETENTION_DAYS } from "../../domain/project/retention.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { isObject } from "../../json/is-object.ts";
import { latencyAt, type RunStatistics } from "../../trace/run/statistics.ts";
import {
  closedObject,
  flag,
  instant,
  isoOrNull,
  paging,
  severalOf,
  shownInstant,
  shownUuid,
  truth,
  uuid,
} from "../kernel/fields.ts";

/** The original lists at most this many projects at once, and as many without `limit`. */
const PROJECTS_PER_PAGE = 100;
const NAME_MOST_CHARACTERS = 1024;

/** A project is kept in one event, as escaped text of 256 KiB at most (durable/journal/journal.ts) [LIM-20]. */
const DESCRIPTION_MOST_CHARACTERS = 8192;
const EXTRA_MOST_CHARACTERS = 32_768;

const name = z
  .string()
  .min(1)
  .max(NAME_MOST_CHARACTERS)
  .refine(isCleanText, { error: "The name must not hold control characters or broken Unicode" });
const description = z.string().max(DESCRIPTION_MOST_CHARACTERS);
const extra = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= EXTRA_MOST_CHARACTERS, {
    error: `Input should have at most ${EXTRA_MOST_CHARACTERS} characters as JSON`,
    params: { type: "string_too_long" },
  });

/** null: for ever. */
const retentionDays = z.int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max).nullable();

/** Members that this service does not keep are let pass: clients send several of them as a matter of course. */
export const projectCreate = z
  .object({
    name,
    id: uuid.nullish(),
    description: description.nullish(),
    extra: extra.nullish(),
    retention_days: retentionDays.optional(),
  })
  .openapi("TracerSessionCreate");

/** What is absent or null stays as it is, but for `retention_days`: null is for ever. */
export const projectUpdate = z
  .object({
    name: name.nullish(),
    description: description.nullish(),
    extra: extra.nullish(),
    end_time: instant.nullish().openapi({ type: ["string", "null"], format: "date-time" }),
    retention_days: retentionDays.optional(),
  })
  .openapi("TracerSessionUpdate");

/** With `upsert=true` an existing project of that name takes over what is said, and is the answer instead of a conflict. */
export const projectCreateQuery = z.object({ upsert: flag });

/** Whether an answer holds what is counted of a project's runs. */
const statistics = { include_stats: flag } as const;

export const oneProjectQuery = z.object(statistics);

/** JSON that `extra.metadata` of a project is asked to hold. The bound keeps it as shallow as recursion needs it. */
const METADATA_MOST_CHARACTERS = 2048;

const metadata = z
  .string()
  .max(METADATA_MOST_CHARACTERS)
  .transform((text, context) => {
    const asked = objectIn(text);
    if (asked !== null) return asked;
    context.addIssue({ code: "custom", message: 'Input should be a JSON object, such as {"team": "a"}' });
    return z.NEVER;
  })
  .openapi({ type: "string", description: "A JSON object: only projects whose `extra.metadata` holds it." });

const noDatasets = { description: "Projects here belong to no dataset: with any, the list is empty." } as const;

export const projectQuery = closedObject({
  name: z.string().optional(),
  name_contains: z.string().optional(),
  id: severalOf(uuid),
  metadata: metadata.optional(),
  reference_dataset: severalOf(uuid).openapi(noDatasets),
  dataset_version: z.string().optional().openapi(noDatasets),
  reference_free: truth.optional(),
  tag_value_id: severalOf(uuid).openapi({ description: "Nothing here has tags: with any, the list is empty." }),
  ...statistics,
  sort_by: z.enum(["start_time", "name"]).optional(),
  sort_by_desc: truth.optional(),
  ...paging(PROJECTS_PER_PAGE, PROJECTS_PER_PAGE),
});

/** Whether no project can fit, since none has a dataset or a tag. */
export const fitsNoProject = (query: z.output<typeof projectQuery>): boolean =>
  query.reference_dataset !== null ||
  query.dataset_version !== undefined ||
  query.reference_free === false ||
  query.tag_value_id !== null;

/** Projects deleted in one request, one after the other. */
export const projectsToDelete = z.object({
  session_ids: z.preprocess(
    (sent) => (sent === undefined ? undefined : [sent].flat()),
    z.array(uuid).min(1).max(PROJECTS_PER_PAGE),
  ),
});

export const projectsDeleted = z
  .object({ deleted: z.array(shownUuid), not_found: z.array(shownUuid) })
  .openapi("TracerSessionsDeleted");

const seconds = z.number().nullable().openapi({ description: "Of the runs that have ended, in seconds, within 5 %." });
const tokens = z.int().nullable();

/** Of the newest days, 1000 shards of all projects asked for; all null without `include_stats`. */
const counted = {
  run_count: z.int().nullable(),
  first_run_start_time: shownInstant.nullable(),
  last_run_start_time: shownInstant.nullable(),
  latency_p50: seconds,
  latency_p99: seconds,
  total_tokens: tokens,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  error_rate: z.number().nullable().openapi({
    description: "Like latencies and tokens, of the sealed runs: what has just come is only counted.",
  }),
};

/** A project (the original's word is tracer session). What this service does not compute is null. */
export const projectShown = z
  .object({
    id: shownUuid,
    tenant_id: shownUuid,
    name: z.string(),
    start_time: shownInstant,
    end_time: shownInstant.nullable(),
    extra: z.unknown(),
    description: z.string().nullable(),
    default_dataset_id: z.null(),
    reference_dataset_id: z.null(),
    trace_tier: z.null(),
    last_run_start_time_live: z.null(),
    retention_days: z.int().nullable(),
    ...counted,
  })
  .openapi("TracerSession");

/** The record of a project in its wire shape; `known` null: nobody asked for statistics. */
export const showProject = (project: Project, known: RunStatistics | null): z.output<typeof projectShown> => ({
  id: project.id,
  tenant_id: project.tenantId,
  name: project.name,
  start_time: isoFromMs(project.startTime),
  end_time: isoOrNull(project.endTime ?? null),
  extra: project.extra === null ? null : JSON.parse(project.extra),
  description: project.description,
  default_dataset_id: null,
  reference_dataset_id: null,
  trace_tier: null,
  last_run_start_time_live: null,
  retention_days: project.retentionDays,
  ...showStatistics(known),
});

const showStatistics = (known: RunStatistics | null) => ({
  run_count: known?.runs ?? null,
  first_run_start_time: isoOrNull(milliseconds(known?.firstStart ?? null)),
  last_run_start_time: isoOrNull(milliseconds(known?.lastStart ?? null)),
  latency_p50: known && latencyAt(known, 0.5),
  latency_p99: known && latencyAt(known, 0.99),
  total_tokens: known?.totalTokens ?? null,
  prompt_tokens: known?.promptTokens ?? null,
  completion_tokens: known?.completionTokens ?? null,
  error_rate: known === null || known.looked === 0 ? null : known.errors / known.looked,
});

const milliseconds = (micros: number | null): number | null => (micros === null ? null : Math.floor(micros / 1000));

/** null: the text is no JSON, or no object. */
const objectIn = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};
