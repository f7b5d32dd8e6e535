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
  /** One for each page that was copied, in order. */
  readonly segments: readonly SegmentRef[];
}

/** Finished work. It survives retries and crashes, so committed files are never written again. */
export interface Progress {
  /** Number of the last snapshot step that began; 0: none did. */
  readonly snapshotSteps: number;
  /** Staged pages of the customer's table; null: staging has not begun. Stays when the snapshot is taken. */
  readonly staging: Staging | null;
  /** Dropped stagings; one of their pages may still arrive in scratch. */
  readonly dropped: readonly Staging[];
  readonly snapshot: SnapshotFacts | null;
  readonly derived: readonly DerivedSegment[];
  readonly plan: { readonly files: number; readonly rows: number; readonly bytes: number } | null;
  readonly upload: Upload | null;
  readonly files: readonly CommittedFile[];
  /** Parts that may be in flight at once; fewer than the limit after the store asked for fewer requests. */
  readonly partsInFlight: number;
  /** Parts that the store has taken since `partsInFlight` last changed. */
  readonly partsAtPace: number;
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
  partsAtPace: 0,
};
