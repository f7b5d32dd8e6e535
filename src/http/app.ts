import { OpenAPIHono } from "@hono/zod-openapi";
import { getPath } from "hono/utils/url";
import type { Env } from "../../durable/env.ts";
import { readSettings, type WireProfileName } from "../settings.ts";
import type { SecurityScheme } from "./auth.ts";
import { methodsAt } from "./methods-at.ts";
import type { HttpEnv } from "./operation.ts";
import { faultResponse, problemResponse } from "./problems.ts";
import { addAdminRoutes } from "./routes/admin.ts";
import { addAgentRoutes } from "./routes/agents.ts";
import { addBulkExportRoutes } from "./routes/bulk-exports.ts";
import { addDeploymentRoutes } from "./routes/deployments.ts";
import { addDestinationRoutes } from "./routes/destinations.ts";
import { addEstimateRoutes } from "./routes/estimate.ts";
import { addEventRoutes } from "./routes/events.ts";
import { addExportOrderRoutes } from "./routes/export-orders.ts";
import { addExportRunRoutes } from "./routes/export-runs.ts";
import { addFeedbackRoutes } from "./routes/feedback.ts";
import { addFilterRoutes } from "./routes/filters.ts";
import { addIngestRoutes } from "./routes/ingest.ts";
import { addListenerRoutes } from "./routes/listeners.ts";
import { addManifestRoutes } from "./routes/manifest.ts";
import { addOAuthAuthorizationRoutes } from "./routes/oauth-authorizations.ts";
import { addOAuthProviderRoutes } from "./routes/oauth-providers.ts";
import { addOAuthTokenRoutes } from "./routes/oauth-tokens.ts";
import { addOtelRoutes } from "./routes/otel.ts";
import { addProjectSourceRoutes } from "./routes/project-source.ts";
import { addProjectRoutes } from "./routes/projects.ts";
import { addRevisionRoutes } from "./routes/revisions.ts";
import { addRunsQueryRoutes } from "./routes/runs-query.ts";
import { addServiceRoutes } from "./routes/service.ts";
import { addUploadRoutes } from "./routes/uploads.ts";
import { wireProfile } from "./wire-profile.ts";

/** Answers one request. Never throws: a fault of ours is an answer, too. */
export const answer = async (request: Request, env: Env, context: ExecutionContext): Promise<Response> => {
  try {
    return await appOf(readSettings(env).wireProfile).fetch(request, env, context);
  } catch (thrown) {
    return faultResponse(thrown, request, "detail");
  }
};

/** Whether a request goes to a deployed agent, by its path as the router reads it, which decodes escapes. */
export const isForAgent = (request: Request): boolean => getPath(request).startsWith("/deployments/");

/** Words on the wire differ by profile, and the routes are the document: one application for each profile in use. */
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
  // Literal segments come before `{bulk_export_id}`: the first route that fits answers.
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
    const allowed = methodsAt(app, context.req.raw, path).filter((known) => known !== method);
    if (allowed.length === 0) return problemResponse({ reason: "unknown_route", path }, "detail");
    return problemResponse({ reason: "method_not_allowed", method, allowed }, "detail");
  });
  app.onError((thrown, context) => faultResponse(thrown, context.req.raw, "detail"));
  return app;
};
