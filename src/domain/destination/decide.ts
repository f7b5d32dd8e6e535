import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { DestinationCommand } from "./commands.ts";
import type { DestinationEvent } from "./events.ts";
import { isSameOptions } from "./object-options.ts";
import type { DestinationConfig } from "./records.ts";
import { type ActiveDestination, type DestinationState, isActive } from "./state.ts";
import { isNewUse, nextPageAt } from "./sweep.ts";

/** The rules of a destination. Its configuration never changes; another bucket is another destination. */
export function decide(command: DestinationCommand, state: DestinationState): Decision<DestinationEvent> {
  const at = command.now;
  if (command.type === "CreateDestination") {
    const refusal = refuseCreation(state, command);
    if (refusal !== null) return fail(refusal);
    if (state.status !== "NONE") return ok([]);
    const { id, tenantId, displayName, config, envelope, keys, check } = command;
    const credentials = { version: 1, envelope, keys };
    return ok([{ type: "DestinationCreated", id, tenantId, displayName, config, credentials, check, at }]);
  }
  const known = findDestination(state, command);
  if (!known.ok) return known;
  switch (command.type) {
    case "RotateCredentials": {
      const { envelope, keys, check } = command;
      const version = known.value.credentials.version + 1;
      return ok([{ type: "CredentialsRotated", credentials: { version, envelope, keys }, check, at }]);
    }
    case "RenameDestination": {
      const { displayName } = command;
      return ok(
        displayName === known.value.record.displayName ? [] : [{ type: "DestinationRenamed", displayName, at }],
      );
    }
    case "UseDestination":
      return ok(isNewUse(known.value.sweep, at) ? [{ type: "DestinationUsed", at }] : []);
    case "RecordSweep": {
      const { next, exportTimeoutMs } = command;
      const dueAt = nextPageAt(known.value.sweep, next, exportTimeoutMs, at);
      return ok([{ type: "UploadsSwept", next, dueAt, at }]);
    }
    case "DeleteDestination":
      return ok([{ type: "DestinationDeleted", at }]);
  }
}

/** The destination, if it belongs to the workspace and was not deleted. */
export const findDestination = (
  state: DestinationState,
  { id, tenantId }: Pick<DestinationCommand, "id" | "tenantId">,
): Result<ActiveDestination, Refusal> =>
  isActive(state) && state.record.tenantId === tenantId
    ? ok(state)
    : fail({ reason: "not_found", what: "destination", id });

/** The members that determine whether a creation repeats an earlier one. */
type Creation = Pick<Extract<DestinationCommand, { type: "CreateDestination" }>, "tenantId" | "displayName" | "config">;

/**
 * Why a destination cannot be created under its id; null: it can, or it exists with the same name and config.
 * Credentials are not compared.
 */
export function refuseCreation(state: DestinationState, { tenantId, displayName, config }: Creation): Refusal | null {
  if (state.status === "NONE") return null;
  if (state.record.tenantId !== tenantId || state.status === "DELETED")
    return { reason: "conflict", message: "The destination of this key was deleted; use a new key." };
  if (state.requested.displayName === displayName && isSameConfig(state.requested.config, config)) return null;
  const message = "This key was used for another request; use a new key for each new destination";
  return { reason: "invalid", loc: ["header", "idempotency-key"], message, type: "value_error" };
}

const isSameConfig = (one: DestinationConfig, other: DestinationConfig): boolean =>
  one.bucketName === other.bucketName &&
  one.prefix === other.prefix &&
  one.region === other.region &&
  one.endpointUrl === other.endpointUrl &&
  one.includeBucketInPrefix === other.includeBucketInPrefix &&
  isSameOptions(one.objectOptions, other.objectOptions);
