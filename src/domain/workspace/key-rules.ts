import { lookUp } from "../shared/bucket-map.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { NewKey, WorkspaceEvent } from "./events.ts";
import type { Identity } from "./records.ts";
import type { OpenWorkspace, WorkspaceState } from "./state.ts";

/** A key that is known or was revoked is not added again. */
export function addKey(state: OpenWorkspace, key: NewKey, at: number): readonly WorkspaceEvent[] {
  const known = lookUp(state.keys, key.keyHash) ?? lookUp(state.revokedKeys, key.keyHash);
  return known === undefined ? [{ type: "KeyAdded", key: { ...key, createdAt: at }, at }] : [];
}

/** A key that is not known is revoked, too: the call that adds it may still be on its way. */
export const revokeKey = (state: OpenWorkspace, keyHash: string, at: number): readonly WorkspaceEvent[] =>
  lookUp(state.revokedKeys, keyHash) === undefined ? [{ type: "KeyRevoked", keyHash, at }] : [];

/** Whether the workspace had the key before it was revoked. */
export const findRevokedKey = (state: WorkspaceState, keyHash: string): Result<null, Refusal> =>
  state.status === "OPEN" && lookUp(state.revokedKeys, keyHash) === "known"
    ? ok(null)
    : fail({ reason: "not_found", what: "API key", id: keyHash });

/** The identity that a key stands for, or why the key is not accepted. */
export function authorize(state: WorkspaceState, keyHash: string): Result<Identity, Refusal> {
  const key = state.status === "OPEN" ? lookUp(state.keys, keyHash) : undefined;
  if (state.status === "NONE" || key === undefined)
    return fail({ reason: "unauthorized", message: "The API key is not valid." });
  return ok({ tenantId: state.id, userId: key.userId, plan: state.plan, role: key.role });
}
