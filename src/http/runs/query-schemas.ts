import { z } from "@hono/zod-openapi";
import type { RunsQuery } from "../../../durable/worker/query/query.ts";
import { microsFromIso } from "../../domain/shared/time-text.ts";
import { acceptedFilter } from "../../filter/parse/index.ts";
import { filterOfConditions } from "../../trace/query/filter.ts";
import { positionOf } from "../../trace/query/order.ts";
import { closedObject, uuid } from "../kernel/fields.ts";
import { filterText } from "../kernel/filter-schema.ts";
import { columnsOfFields, fieldsShown, RUN_FIELDS } from "./run-schema.ts";

/** The longest page, as in the original service. A larger limit gives this many runs and a cursor [LIM-27]. */
const MAX_RUNS = 100;

/** Ids in one list. */
const MAX_IDS = 1000;

const MAX_TEXT_CHARACTERS = 1024;

/** Upper bound of the start of runs (src/domain/shared/time-text.ts), exclusive. */
const END_OF_TIME = Date.UTC(2255, 0, 1) * 1000;

/** One id, or a list of them. */
const ids = z
  .union([uuid, z.array(uuid).max(MAX_IDS)], { error: `Input should be a UUID, or a list of at most ${MAX_IDS}` })
  .transform((value) => [value].flat())
  .nullish();

/** Whole microseconds, the resolution of start times. */
const micros = z
  .string()
  .transform((text, context) => {
    const parsed = microsFromIso(text);
    if (parsed !== null) return parsed;
    const message = "Input should be an ISO 8601 time, such as 2030-01-31T00:00:00Z";
    context.addIssue({ code: "custom", message, params: { type: "datetime_parsing" } });
    return z.NEVER;
  })
  .openapi({ type: "string", format: "date-time" })
  .nullish();

const cursor = z
  .string()
  .transform((text, context) => {
    const position = positionOf(text);
    if (position !== null) return position;
    context.addIssue({ code: "custom", message: "Input should be a cursor of an earlier answer" });
    return z.NEVER;
  })
  .openapi({ type: "string" })
  .nullish();

const filter = filterText.transform(acceptedFilter).nullish();

const searched = z.string().min(1).max(MAX_TEXT_CHARACTERS).nullish();

/** Members without effect here: there is one store, and every answer has its cursor. */
const WITHOUT_EFFECT = {
  data_source_type: z.string().nullish(),
  skip_pagination: z.boolean().nullish(),
  skip_prev_cursor: z.boolean().nullish(),
  use_experimental_search: z.boolean().nullish(),
};

/** Body of a query of runs as clients of the original service send it: all members may be absent or null. */
export const runsQuery = closedObject({
  id: ids,
  session: ids,
  /** Name in the Python client when it reads the children of a run. */
  session_id: ids,
  reference_example: ids,
  trace: uuid.nullish(),
  parent_run: uuid.nullish(),
  run_type: z.string().nullish(),
  is_root: z.boolean().nullish(),
  /** Older name for root runs in the original service. */
  execution_order: z.literal(1).nullish(),
  error: z.boolean().nullish(),
  start_time: micros,
  end_time: micros,
  query: searched,
  filter,
  search_filter: filter,
  trace_filter: filter,
  tree_filter: filter,
  select: z.array(z.enum(RUN_FIELDS)).nullish(),
  order: z.enum(["asc", "desc"]).nullish(),
  limit: z.int().min(1).nullish(),
  cursor,
  ...WITHOUT_EFFECT,
}).openapi("BodyParamsForRunSchema");

export const runsAnswer = z.custom<ReadableStream<Uint8Array>>().openapi("ListRunsResponse", {
  type: "object",
  properties: {
    runs: { type: "array", items: { $ref: "#/components/schemas/RunSchema" } },
    cursors: { type: "object", properties: { next: { type: ["string", "null"] } } },
  },
  description: `At most ${MAX_RUNS} runs; \`cursors.next\` asks for those behind them and is null at the end.`,
});

type Body = z.output<typeof runsQuery>;

/** Translates a body into a query, without the projects. */
export const queryOf = (body: Body): Omit<RunsQuery, "projects"> => ({
  filter: filterOfConditions({
    runType: body.run_type ?? null,
    parentRunId: body.parent_run ?? null,
    referenceExampleIds: body.reference_example ?? null,
    isRoot: body.is_root ?? (isSaid(body.execution_order) ? true : null),
    hasError: body.error ?? null,
    searched: body.query ?? null,
    filters: [body.filter, body.search_filter].filter(isSaid),
  }),
  traceFilter: body.trace_filter ?? null,
  treeFilter: body.tree_filter ?? null,
  window: { start: body.start_time ?? 0, end: body.end_time ?? END_OF_TIME },
  ids: body.id ?? null,
  traceIds: body.trace === null || body.trace === undefined ? null : [body.trace],
  order: body.order ?? "desc",
  after: body.cursor ?? null,
  limit: Math.min(body.limit ?? MAX_RUNS, MAX_RUNS),
  columns: columnsOfFields(fieldsShown(body.select ?? null)),
});

const isSaid = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The query for the run with this id. */
export const queryOfRun = (id: string): Omit<RunsQuery, "projects"> => ({ ...queryOf({ id: [id] }), limit: 1 });
