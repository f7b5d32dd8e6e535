import type { Decider } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { DestinationConfig, DestinationRecord } from "./records.ts";

/** A customer's bucket: where it is, what opens it (sealed), and what the last check found. */

/** What the destination check learned beyond the write that it needs. */
export interface ProbeReport {
  readonly canRead: boolean;
  readonly canDelete: boolean;
}

/** Credentials as they may lie in storage. `envelope` null: taken from the installation's environment. */
export interface SealedCredentials {
  readonly version: number;
  readonly envelope: string | null;
  readonly keys: readonly string[];
}

export type DestinationEvent =
  | {
      readonly type: "DestinationCreated";
      readonly id: string;
      readonly tenantId: string;
      readonly displayName: string;
      readonly config: DestinationConfig;
      readonly credentials: SealedCredentials;
      readonly probe: ProbeReport;
      readonly at: number;
    }
  | {
      readonly type: "CredentialsRotated";
      readonly credentials: SealedCredentials;
      readonly probe: ProbeReport;
      readonly at: number;
    }
  | { readonly type: "DestinationRenamed"; readonly displayName: string; readonly at: number }
  | { readonly type: "DestinationDeleted"; readonly at: number };

export type DestinationCommand =
  | {
      readonly type: "Create";
      readonly id: string;
      readonly tenantId: string;
      readonly displayName: string;
      readonly config: DestinationConfig;
      readonly envelope: string | null;
      readonly keys: readonly string[];
      readonly probe: ProbeReport;
      readonly now: number;
    }
  | {
      readonly type: "RotateCredentials";
      readonly envelope: string;
      readonly keys: readonly string[];
      readonly probe: ProbeReport;
      readonly now: number;
    }
  | { readonly type: "Rename"; readonly displayName: string; readonly now: number }
  | { readonly type: "Delete"; readonly now: number };

export interface KnownDestination {
  readonly status: "ACTIVE" | "DELETED";
  /** Its name when it was created; it may have been renamed since. */
  readonly firstName: string;
  readonly record: DestinationRecord;
  readonly credentials: SealedCredentials;
  readonly probe: ProbeReport;
}

export type DestinationState = { readonly status: "NONE" } | KnownDestination;

function decide(command: DestinationCommand, state: DestinationState): readonly DestinationEvent[] {
  const at = command.now;
  if (state.status === "NONE") {
    if (command.type !== "Create") return [];
    const { id, tenantId, displayName, config, envelope, keys, probe } = command;
    const credentials = { version: 1, envelope, keys };
    return [{ type: "DestinationCreated", id, tenantId, displayName, config, credentials, probe, at }];
  }
  if (state.status === "DELETED") return [];
  switch (command.type) {
    case "Create":
      return [];
    case "RotateCredentials": {
      const { envelope, keys, probe } = command;
      const version = state.credentials.version + 1;
      return [{ type: "CredentialsRotated", credentials: { version, envelope, keys }, probe, at }];
    }
    case "Rename":
      return command.displayName === state.record.displayName
        ? []
        : [{ type: "DestinationRenamed", displayName: command.displayName, at }];
    case "Delete":
      return [{ type: "DestinationDeleted", at }];
  }
}

function evolve(state: DestinationState, event: DestinationEvent): DestinationState {
  if (event.type === "DestinationCreated") {
    const { id, tenantId, displayName, config, credentials, probe, at } = event;
    return {
      status: "ACTIVE",
      firstName: displayName,
      record: {
        id,
        tenantId,
        displayName,
        config,
        credentialsKeys: credentials.keys,
        createdAt: at,
        updatedAt: at,
      },
      credentials,
      probe,
    };
  }
  if (state.status === "NONE") return state;
  switch (event.type) {
    case "CredentialsRotated": {
      const { credentials, probe } = event;
      const record = { ...state.record, credentialsKeys: credentials.keys, updatedAt: event.at };
      return { ...state, record, credentials, probe };
    }
    case "DestinationRenamed":
      return { ...state, record: { ...state.record, displayName: event.displayName, updatedAt: event.at } };
    case "DestinationDeleted":
      // The sealed credentials are forgotten by the state; their envelope in the log opens only with the master key.
      return { ...state, status: "DELETED", credentials: { ...state.credentials, envelope: null } };
  }
}

/**
 * The answer to a creation under an id that exists: the same name and config reach the same destination, whatever the
 * credentials. null: there is none yet.
 */
export function repeatCreation(
  command: Pick<Extract<DestinationCommand, { type: "Create" }>, "tenantId" | "displayName" | "config">,
  state: DestinationState,
): Result<DestinationRecord, Refusal> | null {
  if (state.status === "NONE") return null;
  const { tenantId, config } = state.record;
  if (tenantId !== command.tenantId || state.status === "DELETED")
    return fail({ reason: "conflict", message: "The destination of this key was deleted; use a new key." });
  if (state.firstName === command.displayName && isSameConfig(config, command.config)) return ok(state.record);
  const message = "This key was used for another request; use a new key for each new destination";
  return fail({ reason: "invalid", loc: ["header", "idempotency-key"], message, type: "value_error" });
}

const isSameConfig = (one: DestinationConfig, other: DestinationConfig): boolean =>
  one.bucketName === other.bucketName &&
  one.prefix === other.prefix &&
  one.region === other.region &&
  one.endpointUrl === other.endpointUrl &&
  one.includeBucketInPrefix === other.includeBucketInPrefix;

/** Nothing about a destination happens by itself. */
export const destination: Decider<DestinationState, DestinationCommand, DestinationEvent> = {
  initialState: { status: "NONE" },
  decide: (command, state) => ok(decide(command, state)),
  evolve,
  wakeAt: () => null,
};
