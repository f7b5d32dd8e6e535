import type { Window } from "../../src/domain/shared/time.ts";
import type { Filter } from "../../src/filter/filter.ts";
import type { Claim, ProjectDay, Snapshot } from "../protocol/snapshot.ts";

/**
 * Where runs come from. A snapshot holds every run that was acknowledged before it was asked for, or before a claim
 * was made for the first time; `claim` null: a one-off export asks. With a filter, segments may be left out of which
 * no row matches.
 */
export interface TraceSource {
  snapshot(project: ProjectDay, window: Window, claim: Claim | null, filter: Filter | null): Promise<Snapshot>;
}
