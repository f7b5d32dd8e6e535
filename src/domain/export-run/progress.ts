import type { SegmentRef } from "../shared/segment.ts";
import type { CommittedFile, DerivedSegment, SnapshotFacts, StagingFacts } from "./events.ts";

export interface Upload {
  readonly file: number;
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly UploadedPart[];
}

export interface UploadedPart {
  readonly part: number;
  readonly etag: string;
  readonly md5: string;
  readonly bytes: number;
}

export interface Staging extends StagingFacts {
  /** One for each page so far, in order. */
  readonly segments: readonly SegmentRef[];
}

/** Work done so far; it survives retries and crashes, so nothing committed is ever written again. */
export interface Progress {
  /** Snapshot steps begun so far, which is the number of the last one. */
  readonly snapshotSteps: number;
  /** Pages of a table of the customer's that have arrived; null: none was begun. Stays when the snapshot is taken. */
  readonly staging: Staging | null;
  /** Stagings that were given up; a page of theirs may still arrive in scratch. */
  readonly dropped: readonly Staging[];
  readonly snapshot: SnapshotFacts | null;
  readonly derived: readonly DerivedSegment[];
  readonly plan: { readonly files: number; readonly rows: number; readonly bytes: number } | null;
  readonly upload: Upload | null;
  readonly files: readonly CommittedFile[];
  /** Parts that may go up at once: fewer than the limit for a while after the store asked for fewer requests. */
  readonly partsInFlight: number;
}

export const NO_PROGRESS = {
  snapshotSteps: 0,
  dropped: [],
  staging: null,
  snapshot: null,
  derived: [],
  plan: null,
  upload: null,
  files: [],
};
