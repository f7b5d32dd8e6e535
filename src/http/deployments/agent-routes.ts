import type { OpenAPIHono } from "@hono/zod-openapi";
import { serveAgent } from "../../../durable/worker/serve-agent.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { headersWithoutKey, workspaceAccess } from "../kernel/auth.ts";
import { uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { problemResponse, type RequestFailure } from "../kernel/problems.ts";

/** Requests to deployed agents, below `/deployments/{id}/`: any method and path, with a key of the workspace. */
export const addAgentRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  app.all("/deployments/:deployment_id/*", async ({ req, env, executionCtx }) => {
    const { exports } = executionCtx as unknown as ExecutionContext; // Hono's type lacks what only Workers have
    const answer = await serve(req.raw, req.param("deployment_id"), env, exports);
    return answer.ok ? answer.value : problemResponse(answer.failure, "detail");
  });
};

const serve = async (
  request: Request,
  id: string,
  env: HttpEnv["Bindings"],
  exports: ExecutionContext["exports"],
): Promise<Result<Response, RequestFailure>> => {
  const admitted = await workspaceAccess.admit(request, env);
  if (!admitted.ok) return admitted;
  const deploymentId = uuid.safeParse(id);
  if (!deploymentId.success) return unknown(id);
  const target = { tenantId: admitted.value.identity.tenantId, deploymentId: deploymentId.data };
  const served = await serveAgent({ env, exports }, target, inner(request, id));
  if (served.ok) return ok(served.value);
  return served.failure.reason === "unknown_deployment" ? unknown(id) : fail(served.failure);
};

/** Segments of a path before the agent's own: the empty one, `deployments`, the id. */
const SEGMENTS_BEFORE = 3;

/** The request as the agent sees it: its paths begin at `/`. */
const inner = (request: Request, id: string): Request => {
  const url = new URL(request.url);
  // Cut by segments: the client may have escaped characters of the first ones, which the router has decoded.
  url.pathname = url.pathname.split("/").slice(SEGMENTS_BEFORE).join("/");
  const headers = headersWithoutKey(request);
  headers.set("X-Forwarded-Prefix", `/deployments/${id}`);
  return new Request(url, new Request(request, { headers, redirect: "manual" }));
};

const unknown = (id: string) => fail<RequestFailure>({ reason: "not_found", what: "deployment", id });
