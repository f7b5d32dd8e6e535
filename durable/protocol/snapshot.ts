import type { SelectedSegment } from "../../src/domain/shared/segment.ts";

/** A segment together with what spares its reader a look at it. */
export interface SnapshotSegment extends SelectedSegment {
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

export interface ProjectDay {
  readonly tenantId: string;
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}
