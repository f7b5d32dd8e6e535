import type { SelectedSegment } from "../../src/domain/shared/segment.ts";

/** A segment, with its footer where the source has it at hand. */
export interface SnapshotSegment extends SelectedSegment {
  /** The end of the file, from its metadata on; null when the source does not have it at hand. */
  readonly footer: Uint8Array | null;
}

/** Identifies a scheduled export to the source. Asked again, it gets the same rows; no other export of the schedule gets them. */
export interface Claim {
  readonly scheduleId: string;
  readonly exportId: string;
  /** `main`: the rows of the window. `late`: rows that arrived after the schedule had exported their window. */
  readonly kind: "main" | "late";
}

/** The runs of one project and UTC day at one instant: whole segments in a fixed order. */
export interface Snapshot {
  readonly segments: readonly SnapshotSegment[];
}
