import { z } from "@hono/zod-openapi";
import { MAX_PROJECT_NAME_CHARACTERS, type Project } from "../../domain/project/records.ts";
import { RETENTION_DAYS } from "../../domain/project/retention.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { isObject } from "../../json/is-object.ts";
import { latencyAt, type RunStatistics } from "../../trace/run/statistics.ts";
import {
  closedObject,
  instant,
  isoOrNull,
  optionalQueryBoolean,
  paging,
  queryBoolean,
  severalOf,
  shownInstant,
  shownUuid,
  uuid,
} from "../kernel/fields.ts";

/** Maximum and default of `limit`, as in the original service. */
const PROJECTS_PER_PAGE = 100;

/** A project is stored in one event, whose JSON has at most 256 KiB (durable/journal/event-log.ts). Escapes add to it [LIM-20]. */
const MAX_DESCRIPTION_CHARACTERS = 8192;
const MAX_EXTRA_CHARACTERS = 32_768;

const name = z
  .string()
  .min(1)
  .max(MAX_PROJECT_NAME_CHARACTERS)
  .refine(isCleanText, { error: "The name must not contain control characters or invalid Unicode" });
const description = z.string().max(MAX_DESCRIPTION_CHARACTERS);
const extra = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= MAX_EXTRA_CHARACTERS, {
    error: `Input should have at most ${MAX_EXTRA_CHARACTERS} characters as JSON`,
    params: { type: "string_too_long" },
  });

/** null: unlimited. */
const retentionDays = z.int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max).nullable();

/** Unknown members are ignored: clients send several that this service does not store. */
export const projectCreate = z
  .object({
    name,
    id: uuid.nullish(),
    description: description.nullish(),
    extra: extra.nullish(),
    retention_days: retentionDays.optional(),
  })
  .openapi("TracerSessionCreate");

/** Absent members and null are not changed, except that `retention_days: null` means unlimited. */
export const projectUpdate = z
  .object({
    name: name.nullish(),
    description: description.nullish(),
    extra: extra.nullish(),
    end_time: instant.nullish().openapi({ type: ["string", "null"], format: "date-time" }),
    retention_days: retentionDays.optional(),
  })
  .openapi("TracerSessionUpdate");

/** With `upsert=true`, an existing project of that name is changed and returned instead of a conflict. */
export const projectCreateQuery = z.object({ upsert: optionalQueryBoolean });

/** Whether the answer holds statistics of the project's runs. */
const statistics = { include_stats: optionalQueryBoolean } as const;

export const oneProjectQuery = z.object(statistics);

/** Limit of the filter `metadata`. It also limits the depth of the JSON, which is compared recursively. */
const MAX_METADATA_CHARACTERS = 2048;

const metadata = z
  .string()
  .max(MAX_METADATA_CHARACTERS)
  .transform((text, context) => {
    const wanted = objectIn(text);
    if (wanted !== null) return wanted;
    context.addIssue({ code: "custom", message: 'Input should be a JSON object, such as {"team": "a"}' });
    return z.NEVER;
  })
  .openapi({ type: "string", description: "A JSON object: only projects whose `extra.metadata` contains it." });

const noDatasets = { description: "Datasets are not supported: with any value, the list is empty." } as const;

export const projectQuery = closedObject({
  name: z.string().optional(),
  name_contains: z.string().optional(),
  id: severalOf(uuid),
  metadata: metadata.optional(),
  reference_dataset: severalOf(uuid).openapi(noDatasets),
  dataset_version: z.string().optional().openapi(noDatasets),
  reference_free: queryBoolean.optional(),
  tag_value_id: severalOf(uuid).openapi({ description: "Tags are not supported: with any value, the list is empty." }),
  ...statistics,
  sort_by: z.enum(["start_time", "name"]).optional(),
  sort_by_desc: queryBoolean.optional(),
  ...paging(PROJECTS_PER_PAGE, PROJECTS_PER_PAGE),
});

/** Whether no project can match, because none has a dataset or a tag. */
export const matchesNoProject = (query: z.output<typeof projectQuery>): boolean =>
  query.reference_dataset !== null ||
  query.dataset_version !== undefined ||
  query.reference_free === false ||
  query.tag_value_id !== null;

/** Projects to delete in one request. */
export const projectsToDelete = z.object({
  session_ids: z.preprocess(
    (sent) => (sent === undefined ? undefined : [sent].flat()),
    z.array(uuid).min(1).max(PROJECTS_PER_PAGE),
  ),
});

export const projectsDeleted = z
  .object({ deleted: z.array(shownUuid), not_found: z.array(shownUuid) })
  .openapi("TracerSessionsDeleted");

const seconds = z.number().nullable().openapi({ description: "Of the ended runs, in seconds, accurate to 5 %." });
const tokens = z.int().nullable();

/** Statistics over the newest days, up to 1000 shards of all requested projects; all null without `include_stats`. */
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
    description: "Errors, latencies and tokens cover sealed runs only; `run_count` also covers runs not sealed yet.",
  }),
};

/** A project, which the original service calls tracer session. Members that are not supported are null. */
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

/** The record of a project in its wire shape. `known` null: without statistics. */
export const showProject = (project: Project, known: RunStatistics | null): z.output<typeof projectShown> => ({
  id: project.id,
  tenant_id: project.tenantId,
  name: project.name,
  start_time: isoFromMs(project.startTime),
  end_time: isoOrNull(project.endTime),
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

/** null: the text is not a JSON object. */
const objectIn = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};
