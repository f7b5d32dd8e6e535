import type { MeantSegment } from "../../src/domain/shared/segment.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import type { Filter } from "../../src/filter/filter.ts";

/** A segment together with what spares its reader a look at it. */
export interface SnapshotSegment extends MeantSegment {
  /** The end of the file, from its metadata on; null when the source does not have it at hand. */
  readonly footer: Uint8Array | null;
}

/** In whose name an export of a schedule asks: asked again, it gets the same rows, and no other export gets them. */
export interface Claim {
  readonly scheduleId: string;
  readonly exportId: string;
  /** `main`: the rows of the window. `late`: those that came after the schedule had exported parts of the window. */
  readonly kind: "main" | "late";
}

/** What a source shows of one project and one UTC day at one instant: whole segments, in a fixed order. */
export interface Snapshot {
  readonly segments: readonly SnapshotSegment[];
}

/**
 * Where runs come from. A snapshot holds every run that was acknowledged before it was asked for, or before a claim
 * was made for the first time; `claim` null: a one-off export asks. With a filter, segments may be left out of which
 * no row matches.
 */
export interface TraceSource {
  snapshot(project: ProjectDay, window: Window, claim: Claim | null, filter: Filter | null): Promise<Snapshot>;
}

export interface ProjectDay {
  readonly tenantId: string;
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}
