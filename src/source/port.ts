import type { SegmentRef } from "../domain/segment.ts";
import type { Window } from "../domain/time.ts";

/** A segment together with what spares its reader a look at it. */
export interface SnapshotSegment extends SegmentRef {
  /** The end of the file, from its metadata on; null when the source does not have it at hand. */
  readonly footer: Uint8Array | null;
}

/** What a source shows of one project and one UTC day at one instant: whole segments, in a fixed order. */
export interface Snapshot {
  readonly segments: readonly SnapshotSegment[];
}

/** Where runs come from. A snapshot holds every run that was acknowledged before it was asked for. */
export interface TraceSource {
  snapshot(project: ProjectDay, window: Window): Promise<Snapshot>;
}

export interface ProjectDay {
  readonly tenantId: string;
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}
