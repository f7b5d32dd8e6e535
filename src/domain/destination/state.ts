import type { DestinationEvent, SealedCredentials } from "./events.ts";
import type { DestinationConfig, DestinationRecord } from "./records.ts";
import { type Sweep, usedSweep } from "./sweep.ts";

export interface KnownDestination {
  readonly status: "ACTIVE" | "DELETED";
  /** The request that created it; the name may have changed since, and the store may have named another region. */
  readonly requested: { readonly displayName: string; readonly config: DestinationConfig };
  readonly record: DestinationRecord;
  readonly credentials: SealedCredentials;
  readonly sweep: Sweep;
}

export type ActiveDestination = KnownDestination & { readonly status: "ACTIVE" };

export const isActive = (state: DestinationState): state is ActiveDestination => state.status === "ACTIVE";

export type DestinationState = { readonly status: "NONE" } | KnownDestination;

/** Records one event. */
export function evolve(state: DestinationState, event: DestinationEvent): DestinationState {
  if (event.type === "DestinationCreated") {
    const { id, tenantId, displayName, config, credentials, check, at } = event;
    return {
      status: "ACTIVE",
      requested: { displayName, config },
      record: {
        id,
        tenantId,
        displayName,
        config: { ...config, region: check.region },
        credentialsKeys: credentials.keys,
        check,
        createdAt: at,
        updatedAt: at,
      },
      credentials,
      sweep: usedSweep(null, at),
    };
  }
  if (state.status === "NONE") return state;
  switch (event.type) {
    case "CredentialsRotated": {
      const { credentials, check } = event;
      const config = { ...state.record.config, region: check.region };
      const record = { ...state.record, config, credentialsKeys: credentials.keys, check, updatedAt: event.at };
      return { ...state, record, credentials, sweep: usedSweep(state.sweep, event.at) };
    }
    case "DestinationRenamed":
      return { ...state, record: { ...state.record, displayName: event.displayName, updatedAt: event.at } };
    case "DestinationUsed":
      return { ...state, sweep: usedSweep(state.sweep, event.at) };
    case "UploadsSwept": {
      const { next: from, dueAt, at } = event;
      return { ...state, sweep: { ...state.sweep, from, dueAt, pages: dueAt === at ? state.sweep.pages + 1 : 0 } };
    }
    case "DestinationDeleted":
      // The state drops the sealed credentials; their envelope in the log opens only with the master key.
      return { ...state, status: "DELETED", credentials: { ...state.credentials, envelope: null } };
  }
}
