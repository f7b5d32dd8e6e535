import { isSameOrder, refuseRetry, retryOf } from "../export/again.ts";
import type { ExportDefinition, ExportOrder } from "../export/records.ts";
import { windowOf } from "../schedule/windows.ts";
import { lookUp } from "../shared/bucket-map.ts";
import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { MAX_OPEN_EXPORTS, MAX_OWED_WINDOWS } from "../shared/limits.ts";
import { fail, ok } from "../shared/result.ts";
import { MICROS_PER_MS } from "../shared/time.ts";
import type { CommandOf } from "./commands.ts";
import type { WorkspaceEvent } from "./events.ts";
import { findDestination, findExport, findProject } from "./find.ts";
import { evolve, type OpenWorkspace, type WorkspaceState } from "./state.ts";

/** Registers what a customer asks for. The same order under the same id changes nothing. */
export function createExport(
  state: OpenWorkspace,
  { definition, maxRunning }: Pick<CommandOf<"CreateExport">, "definition" | "maxRunning">,
  at: number,
): Decision<WorkspaceEvent> {
  const known = lookUp(state.exports, definition.id);
  if (known !== undefined) return isSameOrder(known.definition, definition) ? ok([]) : fail(OTHER_ORDER);
  const refusal = refuseExport(state, definition);
  return refusal === null ? ok(register(state, definition, maxRunning, at)) : fail(refusal);
}

/**
 * Registers the window of a schedule, even to a destination that was deleted: an export that fails shows the gap. A
 * schedule whose project was deleted may send one last window; it is dropped.
 */
export function spawnExport(
  state: OpenWorkspace,
  { definition, maxRunning }: CommandOf<"SpawnExport">,
  at: number,
): readonly WorkspaceEvent[] {
  const isKnown = lookUp(state.exports, definition.id) !== undefined;
  return isKnown || orderOf(state, definition) === null ? [] : register(state, definition, maxRunning, at);
}

/** Final states stay final [EXP-17], so a failed run is retried by a new export of its range. */
export function retryRun(
  state: OpenWorkspace,
  { exportId, run, maxRunning }: CommandOf<"RetryRun">,
  at: number,
): Decision<WorkspaceEvent> {
  const known = findExport(state, exportId);
  if (!known.ok) return known;
  const refusal = refuseRetry(run);
  if (refusal !== null) return fail(refusal);
  return createExport(state, { definition: retryOf(known.value.definition, run, at), maxRunning }, at);
}

/** Records how far an export is. One that ended leaves its place to the next in the queue. */
export function recordExportReport(
  state: OpenWorkspace,
  { id, seq, report, maxRunning }: CommandOf<"RecordExportReport">,
  at: number,
): readonly WorkspaceEvent[] {
  const known = lookUp(state.exports, id);
  if (known === undefined || seq <= known.seq) return [];
  const reported: WorkspaceEvent = { type: "ExportReported", id, seq, report, at };
  return [reported, ...admitExports(evolve(state, reported), maxRunning, at)];
}

/** What an export is created with; null: the workspace does not know its project or its destination. */
export function orderOf(state: OpenWorkspace, definition: ExportDefinition): ExportOrder | null {
  const project = lookUp(state.projects, definition.projectId);
  const destination = lookUp(state.destinations, definition.destinationId);
  if (project === undefined || destination === undefined) return null;
  return { definition, destination: destination.config, shards: project.shards };
}

function register(
  state: OpenWorkspace,
  definition: ExportDefinition,
  maxRunning: number,
  at: number,
): readonly WorkspaceEvent[] {
  const registered: WorkspaceEvent = { type: "ExportRegistered", definition, at };
  return [registered, ...admitExports(evolve(state, registered), maxRunning, at)];
}

/** First in, first out, never more than `maxRunning` at once [EXP-21]. */
function admitExports(state: WorkspaceState, maxRunning: number, at: number): readonly WorkspaceEvent[] {
  if (state.status === "NONE") return [];
  const free = Math.max(0, maxRunning - state.running.size);
  return state.queue.slice(0, free).map((id) => ({ type: "ExportAdmitted", id, at }));
}

const OTHER_ORDER: Refusal = {
  reason: "invalid",
  loc: ["header", "idempotency-key"],
  message: "This key was used for another request; use a new key for each new export",
  type: "value_error",
};

function refuseExport(state: OpenWorkspace, definition: ExportDefinition): Refusal | null {
  const destination = findDestination(state, definition.destinationId);
  if (!destination.ok) return destination.failure;
  const project = findProject(state, definition.projectId);
  if (!project.ok) return project.failure;
  return refuseBacklog(definition) ?? refuseCrowd(state);
}

function refuseBacklog({ start, intervalHours, createdAt }: ExportDefinition): Refusal | null {
  if (intervalHours === null || windowOf(start, intervalHours, MAX_OWED_WINDOWS).end > createdAt * MICROS_PER_MS)
    return null;
  const message = `A schedule has at most ${MAX_OWED_WINDOWS} windows to catch up with; begin later, take longer intervals, or export what lies before with a one-off export`;
  return { reason: "invalid", loc: ["body", "start_time"], message, type: "value_error" };
}

/** A minute: one of the exports may have ended by then. */
const RETRY_AFTER_SECONDS = 60;

function refuseCrowd({ active }: OpenWorkspace): Refusal | null {
  if (active.size < MAX_OPEN_EXPORTS) return null;
  const message = `${active.size} exports of this workspace have not ended yet; wait for some of them, or cancel some.`;
  return { reason: "capacity", message, retryAfterSeconds: RETRY_AFTER_SECONDS };
}
