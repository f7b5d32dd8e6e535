import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { ExportEvent } from "../../domain/export/events.ts";
import type { ExportRunEvent } from "../../domain/export-run/events.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import type { EventPage, EventQuery } from "../../domain/shared/history.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { eventsQuery } from "../kernel/event-schemas.ts";
import { eventStream } from "../kernel/event-stream.ts";
import { MAX_PER_PAGE, uuid } from "../kernel/fields.ts";
import type { HttpEnv, OperationInput } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { exportEventsShown, runEventsShown, showEvent, showEvents } from "./event-schemas.ts";
import { type CallerContext, ownExport, ownRun } from "./own-export.ts";

const PATH = "/api/v1/bulk-exports/{bulk_export_id}";
const COMMON = {
  method: "get",
  tag: "Event history",
  access: exportAccess,
  query: eventsQuery,
  body: null,
  success: "ok",
  dialect: "detail",
} as const;

/** Event history of an export and of each of its runs: as a list, and live as server-sent events. */
export const addEventRoutes = (app: OpenAPIHono<HttpEnv>, profile: WireProfile): void => {
  register(app, {
    ...COMMON,
    path: `${PATH}/events`,
    summary: "List the events of an export, oldest first; with Accept: text/event-stream, streamed live until it ends",
    params: z.object({ bulk_export_id: uuid }),
    answer: exportEventsShown,
    ...answersFrom(profile, exportLog),
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/runs/{run_id}/events`,
    summary: "List the events of a run, oldest first; with Accept: text/event-stream, streamed live until it ends",
    params: z.object({ bulk_export_id: uuid, run_id: uuid }),
    answer: runEventsShown,
    ...answersFrom(profile, runLog),
  });
};

/** Reads pages of a log that the caller may read. */
type Log = (query: EventQuery) => Promise<EventPage<ExportEvent | ExportRunEvent>>;

const exportLog = async (context: CallerContext, params: { bulk_export_id: string }): Promise<Result<Log, Refusal>> => {
  const owned = await ownExport(context, params.bulk_export_id);
  return owned.ok ? ok((query) => owned.value.events(query)) : owned;
};

const runLog = async (
  context: CallerContext,
  params: { bulk_export_id: string; run_id: string },
): Promise<Result<Log, Refusal>> => {
  const owned = await ownRun(context, { exportId: params.bulk_export_id, runId: params.run_id });
  return owned.ok ? ok((query) => owned.value.runEvents(params.run_id, query)) : owned;
};

const answersFrom = <Params>(
  profile: WireProfile,
  logOf: (context: CallerContext, params: Params) => Promise<Result<Log, Refusal>>,
) => ({
  async handle(input: OperationInput<CallerContext["caller"], Params, EventQuery, null>) {
    const log = await logOf(input, input.params);
    return log.ok ? ok(showEvents(profile, await log.value(input.query))) : log;
  },
  async stream(input: OperationInput<CallerContext["caller"], Params, EventQuery, null>) {
    const log = await logOf(input, input.params);
    if (!log.ok) return log;
    return eventStream(input.request, input.query.after, async (after) => {
      const page = await log.value({ after, limit: MAX_PER_PAGE });
      return { ...page, events: page.events.map((logged) => showEvent(profile, logged)) };
    });
  },
});
