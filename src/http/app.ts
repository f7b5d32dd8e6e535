import { OpenAPIHono } from "@hono/zod-openapi";
import { getPath } from "hono/utils/url";
import type { Env } from "../../durable/protocol/env.ts";
import { readSettings, type WireProfileName } from "../settings.ts";
import { addAgentRoutes } from "./deployments/agent-routes.ts";
import { addListenerRoutes } from "./deployments/listener-routes.ts";
import { addRevisionRoutes } from "./deployments/revision-routes.ts";
import { addDeploymentRoutes } from "./deployments/routes.ts";
import { addUploadRoutes } from "./deployments/upload-routes.ts";
import { addDestinationRoutes } from "./destinations/routes.ts";
import { addEstimateRoutes } from "./exports/estimate-routes.ts";
import { addEventRoutes } from "./exports/event-routes.ts";
import { addManifestRoutes } from "./exports/manifest-routes.ts";
import { addExportOrderRoutes } from "./exports/order-routes.ts";
import { addBulkExportRoutes } from "./exports/routes.ts";
import { addExportRunRoutes } from "./exports/run-routes.ts";
import { addFeedbackRoutes } from "./feedback/routes.ts";
import { addOtelRoutes } from "./ingest/otel-routes.ts";
import { addIngestRoutes } from "./ingest/routes.ts";
import { allowedMethods } from "./kernel/allowed-methods.ts";
import type { SecurityScheme } from "./kernel/auth.ts";
import type { HttpEnv } from "./kernel/operation.ts";
import { faultResponse, problemResponse } from "./kernel/problems.ts";
import { wireProfile } from "./kernel/wire-profile.ts";
import { addOAuthAuthorizationRoutes } from "./oauth/authorization-routes.ts";
import { addOAuthProviderRoutes } from "./oauth/provider-routes.ts";
import { addOAuthTokenRoutes } from "./oauth/token-routes.ts";
import { addProjectRoutes } from "./projects/routes.ts";
import { addProjectSourceRoutes } from "./projects/source-routes.ts";
import { addFilterRoutes } from "./runs/filter-routes.ts";
import { addRunsQueryRoutes } from "./runs/routes.ts";
import { addServiceRoutes } from "./service/routes.ts";
import { addAdminRoutes } from "./workspaces/routes.ts";

/** Answers one request. Never throws: an internal fault is answered with an error response. */
export const answer = async (request: Request, env: Env, context: ExecutionContext): Promise<Response> => {
  try {
    return await appOf(readSettings(env).wireProfile).fetch(request, env, context);
  } catch (thrown) {
    return faultResponse(thrown, request, "detail");
  }
};

/** Whether a request goes to a deployed agent. Uses the path with decoded escapes, as the router reads it. */
export const isForAgent = (request: Request): boolean => getPath(request).startsWith("/deployments/");

/** One application per wire profile in use: schemas and the OpenAPI document differ by profile. */
const apps = new Map<WireProfileName, OpenAPIHono<HttpEnv>>();

const appOf = (name: WireProfileName): OpenAPIHono<HttpEnv> => {
  const known = apps.get(name);
  if (known !== undefined) return known;
  const app = createApp(name);
  apps.set(name, app);
  return app;
};

const SECURITY_SCHEMES = {
  "API Key": { type: "apiKey", in: "header", name: "X-API-Key" },
  "Tenant ID": { type: "apiKey", in: "header", name: "X-Tenant-Id" },
  "Bearer Auth": { type: "http", scheme: "bearer", description: "The API key" },
  "Admin Key": { type: "http", scheme: "bearer", description: "The deployment's ADMIN_KEY" },
} as const satisfies Readonly<Record<SecurityScheme, object>>;

const createApp = (name: WireProfileName): OpenAPIHono<HttpEnv> => {
  const profile = wireProfile(name);
  const app = new OpenAPIHono<HttpEnv>({ strict: false });
  for (const [scheme, definition] of Object.entries(SECURITY_SCHEMES)) {
    app.openAPIRegistry.registerComponent("securitySchemes", scheme, definition);
  }
  // The first route that matches answers, so literal segments must be added before `{bulk_export_id}`.
  addDestinationRoutes(app, profile);
  addExportRunRoutes(app, profile);
  addEventRoutes(app, profile);
  addEstimateRoutes(app);
  addBulkExportRoutes(app, profile);
  addExportOrderRoutes(app, profile);
  addManifestRoutes(app);
  addProjectRoutes(app);
  addFilterRoutes(app);
  addProjectSourceRoutes(app);
  addIngestRoutes(app);
  addRunsQueryRoutes(app);
  addOtelRoutes(app);
  addFeedbackRoutes(app);
  addOAuthProviderRoutes(app);
  addOAuthTokenRoutes(app);
  addOAuthAuthorizationRoutes(app);
  addUploadRoutes(app);
  addDeploymentRoutes(app);
  addRevisionRoutes(app);
  addListenerRoutes(app);
  addAgentRoutes(app);
  addAdminRoutes(app);
  addServiceRoutes(app);
  app.notFound((context) => {
    const { method, path } = context.req;
    const allowed = allowedMethods(app, context.req.raw, path).filter((known) => known !== method);
    if (allowed.length === 0) return problemResponse({ reason: "unknown_route", path }, "detail");
    return problemResponse({ reason: "method_not_allowed", method, allowed }, "detail");
  });
  app.onError((thrown, context) => faultResponse(thrown, context.req.raw, "detail"));
  return app;
};
