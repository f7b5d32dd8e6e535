import { workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { WorkspaceProtocol } from "../../../durable/protocol/workspace.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import type { Identity, Role } from "../../domain/workspace/records.ts";
import { hashApiKey, sameSecret, tenantOfApiKey } from "../../secrets/api-key.ts";
import type { RequestFailure } from "./problems.ts";
import { checkRate } from "./rate-limit.ts";

/** An authenticated caller and the workspace of its API key. */
export interface Caller {
  readonly identity: Identity;
  readonly workspace: WorkspaceProtocol;
}

/**
 * Access control of a route. `schemes` are the alternatives of the OpenAPI document; each one lists the security schemes
 * that it needs together.
 */
export interface Access<Principal> {
  readonly schemes: readonly (readonly SecurityScheme[])[];
  admit(request: Request, env: Env): Promise<Result<Principal, RequestFailure>>;
}

export type SecurityScheme = "API Key" | "Tenant ID" | "Bearer Auth" | "Admin Key";

/** Bulk export: the key and the tenant header [AUT-2], and the plan plus or enterprise [AUT-5]. */
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

/** Projects, OAuth and deployments: the key determines the workspace. A tenant header is optional and must match. */
export const workspaceAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional"),
};

/** Reading, also by POST. */
export const readingAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional", "read"),
};

/** Sending traces and feedback; the only access that an agent has. */
export const ingestAccess: Access<Caller> = {
  schemes: [["API Key"], ["Bearer Auth"]],
  admit: (request, env) => admitKey(request, env, "optional", "ingest"),
};

/** The operator, authenticated by the setting ADMIN_KEY. */
export const adminAccess: Access<null> = {
  schemes: [["Admin Key"]],
  async admit(request, env) {
    const sent = bearerOf(request);
    if (sent === null) return unauthorized("Send Authorization: Bearer with the deployment's ADMIN_KEY.");
    if (typeof env.ADMIN_KEY !== "string" || env.ADMIN_KEY === "") {
      return unauthorized("This deployment has no ADMIN_KEY; set one to use the administration routes.");
    }
    return (await sameSecret(sent, env.ADMIN_KEY)) ? ok(null) : unauthorized("The admin key is not valid.");
  },
};

/** Without authentication. */
export const openAccess: Access<null> = { schemes: [], admit: async () => ok(null) };

/** The headers to forward to a server behind this service, without the caller's API key. */
export const headersWithoutKey = (request: Request): Headers => {
  const headers = new Headers(request.headers);
  headers.delete("X-API-Key");
  headers.delete("X-Tenant-Id");
  // With a key in X-API-Key, Authorization is meant for the server behind.
  if (bearerOf(request) === keyOf(request)) headers.delete("Authorization");
  return headers;
};

/** One text for a malformed, unknown, revoked or foreign key, so that it reveals nothing about other workspaces. */
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
  const tenantSent = request.headers.get("X-Tenant-Id") || null;
  if (tenantSent === null && tenantHeader === "required") {
    return unauthorized("The header X-Tenant-Id is missing; send the id of your workspace in it.");
  }
  const tenantId = tenantOfApiKey(key);
  if (tenantId === null) return unauthorized(KEY_NOT_VALID);
  const stub = workspace(env, tenantId);
  const keyHash = await hashApiKey(key);
  // Concurrently, so that the rate limit adds no latency.
  const [authorized, limited] = await Promise.all([stub.authorize(keyHash), checkRate(env, keyHash)]);
  if (!authorized.ok) return unauthorized(KEY_NOT_VALID);
  if (limited !== null) return fail(limited);
  if (tenantSent !== null && tenantSent.toLowerCase() !== tenantId) {
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
