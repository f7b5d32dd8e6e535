import { workspace } from "../../durable/actors.ts";
import type { Env } from "../../durable/env.ts";
import type { WorkspaceProtocol } from "../../durable/protocol.ts";
import type { Identity } from "../domain/records.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { hashApiKey, sameSecret, tenantOfApiKey } from "../secrets/api-key.ts";
import type { RequestFailure } from "./problems.ts";

/** Who asks, proven: the workspace of the API key. */
export interface Caller {
  readonly identity: Identity;
  readonly workspace: WorkspaceProtocol;
}

/** A way to be let in. `schemes` are names of the OpenAPI document's security schemes, all needed together. */
export interface Access<Who> {
  readonly schemes: readonly SecurityScheme[];
  admit(request: Request, env: Env): Promise<Result<Who, RequestFailure>>;
}

export type SecurityScheme = "API Key" | "Tenant ID" | "Admin Key";

/** Bulk export: both headers on every request (spec 5), and the plan plus or enterprise (spec 1). */
export const exportAccess: Access<Caller> = {
  schemes: ["API Key", "Tenant ID"],
  async admit(request, env) {
    const admitted = await admitKey(request, env, "required");
    if (!admitted.ok) return admitted;
    const { plan } = admitted.value.identity;
    return plan === "developer" ? fail({ reason: "plan_required", plan }) : admitted;
  },
};

/** Ingest and projects: the key alone says which workspace; a tenant header must agree with it. */
export const workspaceAccess: Access<Caller> = {
  schemes: ["API Key"],
  admit: (request, env) => admitKey(request, env, "optional"),
};

/** Questions, also those that are asked by POST: every key may ask. */
export const readingAccess: Access<Caller> = {
  schemes: ["API Key"],
  admit: (request, env) => admitKey(request, env, "optional", "reads"),
};

/** The operator, by the deployment's own secret. */
export const adminAccess: Access<null> = {
  schemes: ["Admin Key"],
  async admit(request, env) {
    const sent = /^Bearer (.+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
    if (sent === undefined) return unauthorized("Send Authorization: Bearer with the deployment's ADMIN_KEY.");
    if (typeof env.ADMIN_KEY !== "string" || env.ADMIN_KEY === "") {
      return unauthorized("This deployment has no ADMIN_KEY, so nobody can administer it.");
    }
    return (await sameSecret(sent, env.ADMIN_KEY)) ? ok(null) : unauthorized("The admin key is not valid.");
  },
};

/** Everybody. */
export const openAccess: Access<null> = { schemes: [], admit: async () => ok(null) };

/** The same words for a malformed, unknown, revoked or foreign key: they tell nothing about other workspaces. */
const KEY_NOT_VALID = "The API key in X-API-Key is not valid.";

const admitKey = async (
  request: Request,
  env: Env,
  tenantHeader: "required" | "optional",
  purpose: "reads" | "writes" = isReading(request) ? "reads" : "writes",
): Promise<Result<Caller, RequestFailure>> => {
  const key = request.headers.get("X-API-Key");
  if (key === null || key === "") return unauthorized("The header X-API-Key is missing; send your API key in it.");
  const asked = request.headers.get("X-Tenant-Id") || null;
  if (asked === null && tenantHeader === "required") {
    return unauthorized("The header X-Tenant-Id is missing; send the id of your workspace in it.");
  }
  const tenantId = tenantOfApiKey(key);
  if (tenantId === null) return unauthorized(KEY_NOT_VALID);
  const stub = workspace(env, tenantId);
  const authorized = await stub.authorize(await hashApiKey(key));
  if (!authorized.ok) return unauthorized(KEY_NOT_VALID);
  if (asked !== null && asked.toLowerCase() !== tenantId) {
    return unauthorized("The API key does not belong to the workspace in X-Tenant-Id.");
  }
  if (authorized.value.role === "read" && purpose === "writes") {
    return fail({ reason: "forbidden", message: "This API key may only read; use one with the role manage." });
  }
  return ok({ identity: authorized.value, workspace: stub });
};

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const unauthorized = (message: string): Result<never, RequestFailure> => fail({ reason: "unauthorized", message });
