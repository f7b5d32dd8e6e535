import type { SelectedSegment } from "../../src/domain/shared/segment.ts";

/** A segment, with its footer if the source has it in memory. */
export interface SnapshotSegment extends SelectedSegment {
  /** The end of the file, from its metadata on; null: the footer must be read from the object. */
  readonly footer: Uint8Array | null;
}

/**
 * Identifies a scheduled export to the source. A repeated claim gets the same rows; no other export of the schedule
 * gets them.
 */
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
