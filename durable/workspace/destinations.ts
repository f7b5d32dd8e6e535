import type { DestinationRecord } from "../../src/domain/destination/records.ts";
import { entries } from "../../src/domain/shared/bucket-map.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";
import { findDestination, findWorkspace } from "../../src/domain/workspace/find.ts";
import { destination } from "../protocol/actors.ts";
import { batchOf, type ListBatch, type ListBatchQuery, listedIds } from "../protocol/list-batch.ts";
import type { InputOf } from "./input-of.ts";
import type { WorkspaceLog } from "./log.ts";

/** The destinations of a workspace. Each has its own actor, which holds the credentials. */

/** Its actor checks the bucket first: a destination that cannot be written to is not added. */
export async function createDestination(
  log: WorkspaceLog,
  asked: InputOf<"createDestination">,
): Promise<Result<DestinationRecord, Refusal>> {
  const { env, tenantId } = log;
  const known = findWorkspace(log.state, tenantId);
  if (!known.ok) return known;
  const created = await destination(env, asked.id).create({ ...asked, tenantId });
  if (!created.ok) return created;
  const added = log.submit({ type: "AddDestination", id: asked.id, config: created.value.config });
  return added.ok ? created : added;
}

export async function viewDestination(
  { env, state, tenantId }: WorkspaceLog,
  id: string,
): Promise<Result<DestinationRecord, Refusal>> {
  const known = findDestination(state, id);
  return known.ok ? destination(env, id).view(tenantId) : known;
}

export function listDestinations(
  { env, state, tenantId }: WorkspaceLog,
  query: ListBatchQuery,
): Promise<ListBatch<DestinationRecord>> {
  const known = state.status === "NONE" ? [] : entries(state.destinations);
  // The last item of the previous batch may have been removed since; it still marks where this batch begins.
  const ids = known.filter(({ id, removed }) => !removed || id === query.after).map(({ id }) => id);
  return batchOf(listedIds(ids), query, async (id) => {
    const view = await destination(env, id).view(tenantId);
    return view.ok ? view.value : null;
  });
}

export async function updateDestination(
  { env, state, tenantId }: WorkspaceLog,
  { id, ...change }: InputOf<"updateDestination">,
): Promise<Result<DestinationRecord, Refusal>> {
  const known = findDestination(state, id);
  return known.ok ? destination(env, id).update({ ...change, tenantId }) : known;
}

/** Removed here before its actor deletes it, so that no export can take it meanwhile; a second call repeats both. */
export async function deleteDestination(
  log: WorkspaceLog,
  { id, force }: InputOf<"deleteDestination">,
): Promise<Result<null, Refusal>> {
  const removed = log.submit({ type: "RemoveDestination", id, force });
  if (!removed.ok) return removed;
  const deleted = await destination(log.env, id).remove(log.tenantId);
  return removed.value.length > 0 ? ok(null) : deleted;
}
