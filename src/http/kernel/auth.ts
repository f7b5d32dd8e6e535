import { workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { WorkspaceProtocol } from "../../../durable/protocol/protocol.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import type { Identity, Role } from "../../domain/workspace/records.ts";
import { hashApiKey, sameSecret, tenantOfApiKey } from "../../secrets/api-key.ts";
import type { RequestFailure } from "./problems.ts";
import { refuseRush } from "./rate-limit.ts";

/** Who asks, proven: the workspace of the API key. */
export interface Caller {
  readonly identity: Identity;
  readonly workspace: WorkspaceProtocol;
}

/** A way to be let in. `schemes` are names of the OpenAPI document's: of each alternative all are needed together. */
export interface Access<Who> {
  readonly schemes: readonly (readonly SecurityScheme[])[];
  admit(request: Request, env: Env): Promise<Result<Who, RequestFailure>>;
}

export type SecurityScheme = "API Key" | "Tenant ID" | "Bearer Auth" | "Admin Key";

/** Bulk export: both headers on every request [AUT-2], and the plan plus or enterprise [AUT-5]. */
export const exportAccess: Access<Caller> = {
  schemes: [
    ["API Key", "Tenant ID"],
    ["Bearer Auth", "Tenant ID"],
  ],
  async admit(request, env) {
    const admitted = await admitKey(request, env, "required");
    if (!admitted.ok) return admitted;
    const { plan } = admitted.value.identity;
    return plan === "developer" ? fail({ reason: "plan_required", plan }) : admitted;
  },
};

/** Projects, OAuth and deployments: the key alone says which workspace; a tenant header must agree with it. */
export const workspaceAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional"),
};

/** Questions, also those that are asked by POST. */
export const readingAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional", "read"),
};

/** Traces and feedback that come in: all that an agent may do. */
export const ingestAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional", "ingest"),
};

/** The operator, by the deployment's own secret. */
export const adminAccess: Access<null> = {
  schemes: [["Admin Key"]],
  async admit(request, env) {
    const sent = bearerOf(request);
    if (sent === null) return unauthorized("Send Authorization: Bearer with the deployment's ADMIN_KEY.");
    if (typeof env.ADMIN_KEY !== "string" || env.ADMIN_KEY === "") {
      return unauthorized("This deployment has no ADMIN_KEY, so nobody can administer it.");
    }
    return (await sameSecret(sent, env.ADMIN_KEY)) ? ok(null) : unauthorized("The admin key is not valid.");
  },
};

/** Everybody. */
export const openAccess: Access<null> = { schemes: [], admit: async () => ok(null) };

/** The headers of a request for those behind this service: they have no business with their caller's key. */
export const headersWithoutKey = (request: Request): Headers => {
  const headers = new Headers(request.headers);
  headers.delete("X-API-Key");
  headers.delete("X-Tenant-Id");
  // Beside another key it is not for this service.
  if (bearerOf(request) === keyOf(request)) headers.delete("Authorization");
  return headers;
};

/** The same words for a malformed, unknown, revoked or foreign key: they tell nothing about other workspaces. */
const KEY_NOT_VALID = "The API key is not valid.";

const bearerOf = (request: Request): string | null =>
  /^Bearer (.+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? null;

const keyOf = (request: Request): string | null => request.headers.get("X-API-Key") || bearerOf(request);

const admitKey = async (
  request: Request,
  env: Env,
  tenantHeader: "required" | "optional",
  needed: Role = isReading(request) ? "read" : "manage",
): Promise<Result<Caller, RequestFailure>> => {
  const key = keyOf(request);
  if (key === null) {
    return unauthorized("Send your API key in the header X-API-Key, or as Authorization: Bearer.");
  }
  const asked = request.headers.get("X-Tenant-Id") || null;
  if (asked === null && tenantHeader === "required") {
    return unauthorized("The header X-Tenant-Id is missing; send the id of your workspace in it.");
  }
  const tenantId = tenantOfApiKey(key);
  if (tenantId === null) return unauthorized(KEY_NOT_VALID);
  const stub = workspace(env, tenantId);
  const keyHash = await hashApiKey(key);
  // Side by side: the limiter is asked while the workspace looks at the key, so that it takes no time of its own.
  const [authorized, limited] = await Promise.all([stub.authorize(keyHash), refuseRush(env, keyHash)]);
  if (!authorized.ok) return unauthorized(KEY_NOT_VALID);
  if (limited !== null) return fail(limited);
  if (asked !== null && asked.toLowerCase() !== tenantId) {
    return unauthorized("The API key does not belong to the workspace in X-Tenant-Id.");
  }
  const { role } = authorized.value;
  if (role !== "manage" && role !== needed) {
    return fail({ reason: "forbidden", message: `This API key may only ${MAY[role]}; use one with the role manage.` });
  }
  return ok({ identity: authorized.value, workspace: stub });
};

const MAY = { read: "read", ingest: "send traces and feedback" } as const;

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const unauthorized = (message: string): Result<never, RequestFailure> => fail({ reason: "unauthorized", message });
