import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { destinationIdOf } from "../../../durable/protocol/actors.ts";
import { allBatches } from "../../../durable/protocol/list-batch.ts";
import { ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { closedObject, noMembers, optionalQueryBoolean, paging, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { destinationCreate, destinationUpdate } from "./schemas.ts";
import { destinationShown, showDestination } from "./shown.ts";

const PATH = "/api/v1/bulk-exports/destinations";
const ONE = z.object({ destination_id: uuid });
const COMMON = { tag: "Destinations", access: exportAccess, dialect: "detail" } as const;

/** Destinations: create, list, show, change, delete [DST-1, DST-2, DST-3, DST-4]. */
export const addDestinationRoutes = (app: OpenAPIHono<HttpEnv>, profile: WireProfile): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: PATH,
    summary: "Create a destination after a successful test write into its bucket",
    params: noMembers,
    query: noMembers,
    body: destinationCreate(profile),
    isRepeatable: true,
    success: "ok",
    answer: destinationShown,
    failures: ["destinationCheckFailed", "conflict"],
    async handle({ body, caller, idempotencyKey }) {
      const { tenantId } = caller.identity;
      const id = idempotencyKey === null ? crypto.randomUUID() : destinationIdOf(tenantId, idempotencyKey);
      const { display_name: displayName, config } = body;
      const credentials = body.credentials ?? null;
      const created = await caller.workspace.createDestination({ id, displayName, config, credentials });
      return created.ok ? ok(showDestination(profile, created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    summary: "List destinations",
    params: noMembers,
    query: closedObject(paging(null)),
    body: null,
    success: "ok",
    answer: z.array(destinationShown),
    async handle({ query, caller }) {
      const found = await allBatches(query, async (batch) => ok(await caller.workspace.listDestinations(batch)));
      return found.ok ? ok(found.value.map((record) => showDestination(profile, record))) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: `${PATH}/{destination_id}`,
    summary: "Retrieve a destination",
    params: ONE,
    query: noMembers,
    body: null,
    success: "ok",
    answer: destinationShown,
    async handle({ params, caller }) {
      const found = await caller.workspace.destination(params.destination_id);
      return found.ok ? ok(showDestination(profile, found.value)) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: `${PATH}/{destination_id}`,
    summary: "Change a destination's credentials or name; new credentials are checked by a test write",
    params: ONE,
    query: noMembers,
    body: destinationUpdate,
    success: "ok",
    answer: destinationShown,
    failures: ["destinationCheckFailed", "conflict"],
    async handle({ params, body, caller }) {
      const updated = await caller.workspace.updateDestination({
        id: params.destination_id,
        ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
        ...(body.credentials === undefined ? {} : { credentials: body.credentials }),
      });
      return updated.ok ? ok(showDestination(profile, updated.value)) : updated;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: `${PATH}/{destination_id}`,
    summary: "Delete a destination; force=true deletes it even if unfinished exports use it",
    params: ONE,
    query: z.object({ force: optionalQueryBoolean }),
    body: null,
    success: "deleted",
    answer: null,
    failures: ["conflict"],
    handle: ({ params, query, caller }) =>
      caller.workspace.deleteDestination({ id: params.destination_id, force: query.force }),
  });
};
