import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ListenerRecord } from "./records.ts";
import type { FleetState } from "./state.ts";

/** The listener with this id, or `not_found`. */
export function findListener({ listeners }: FleetState, id: string): Result<ListenerRecord, Refusal> {
  const known = listeners.get(id);
  return known === undefined ? fail({ reason: "not_found", what: "listener", id }) : ok(known);
}
