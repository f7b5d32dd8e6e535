import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { allBatches } from "../../../durable/protocol/list-batch.ts";
import { ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { eventsQuery } from "../kernel/event-schemas.ts";
import { eventStream } from "../kernel/event-stream.ts";
import { MAX_PER_PAGE, noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { deploymentEventsShown, showDeploymentEvent } from "./event-schema.ts";
import { ownDeployment } from "./own-deployment.ts";
import { fitsRevision, pageShown, revisionQuery, showPage } from "./query-schemas.ts";
import { deploymentShown, revisionShown, showDeployment, showRevision } from "./schemas.ts";

const PATH = "/v2/deployments/{deployment_id}";
const aliasesOf = (path: string): readonly string[] => [`/api-host${path}`];
const COMMON = { access: workspaceAccess, success: "ok", dialect: "detail" } as const;

/** Revisions of a deployment, going back to one, and its events [DEP-6, DEP-7, DEP-8, DEP-9]. */
export const addRevisionRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    tag: "Revisions",
    method: "get",
    path: `${PATH}/revisions`,
    aliases: aliasesOf(`${PATH}/revisions`),
    summary: "List the revisions of a deployment, the newest first",
    params: z.object({ deployment_id: uuid }),
    query: revisionQuery,
    body: null,
    answer: pageShown(revisionShown, "Revisions"),
    async handle(input) {
      const stub = ownDeployment(input, input.params.deployment_id);
      // Each batch is brought into its wire shape at once: the sealed secrets, which are not shown, may be long.
      const fitting = await allBatches({ offset: 0, limit: null }, async (query) => {
        const part = await stub.revisions(query);
        if (!part.ok) return part;
        const items = part.value.items.filter((record) => fitsRevision(input.query, record)).map(showRevision);
        return ok({ ...part.value, items });
      });
      return fitting.ok ? ok(showPage(fitting.value, input.query, (shown) => shown)) : fitting;
    },
  });

  register(app, {
    ...COMMON,
    tag: "Revisions",
    method: "get",
    path: `${PATH}/revisions/{revision_id}`,
    aliases: aliasesOf(`${PATH}/revisions/{revision_id}`),
    summary: "Retrieve a revision; poll its status until DEPLOYED",
    params: z.object({ deployment_id: uuid, revision_id: uuid }),
    query: noMembers,
    body: null,
    answer: revisionShown,
    async handle(input) {
      const found = await ownDeployment(input, input.params.deployment_id).revision(input.params.revision_id);
      return found.ok ? ok(showRevision(found.value)) : found;
    },
  });

  register(app, {
    ...COMMON,
    tag: "Revisions",
    method: "post",
    path: `${PATH}/revisions/{revision_id}/redeploy`,
    aliases: aliasesOf(`${PATH}/revisions/{revision_id}/redeploy`),
    summary: "Deploy a revision again, by a new revision with the same content and secrets",
    params: z.object({ deployment_id: uuid, revision_id: uuid }),
    query: noMembers,
    body: null,
    answer: deploymentShown,
    failures: ["conflict"],
    async handle(input) {
      const redeployed = await ownDeployment(input, input.params.deployment_id).redeploy(input.params.revision_id);
      return redeployed.ok ? ok(showDeployment(redeployed.value)) : redeployed;
    },
  });

  register(app, {
    ...COMMON,
    tag: "Event history",
    method: "get",
    path: `${PATH}/events`,
    aliases: aliasesOf(`${PATH}/events`),
    summary: "List the events of a deployment, oldest first; with Accept: text/event-stream, live until it is deleted",
    params: z.object({ deployment_id: uuid }),
    query: eventsQuery,
    body: null,
    answer: deploymentEventsShown,
    async handle(input) {
      const stub = ownDeployment(input, input.params.deployment_id);
      const known = await stub.view();
      if (!known.ok) return known;
      const page = await stub.events(input.query);
      return ok({ events: page.events.map(showDeploymentEvent), next_after: page.nextAfter });
    },
    async stream(input) {
      const stub = ownDeployment(input, input.params.deployment_id);
      const known = await stub.view();
      if (!known.ok) return known;
      return eventStream(input.request, input.query.after, async (after) => {
        const page = await stub.events({ after, limit: MAX_PER_PAGE });
        return { ...page, events: page.events.map(showDeploymentEvent) };
      });
    },
  });
};
