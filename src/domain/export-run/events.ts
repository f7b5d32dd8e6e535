import type { DestinationConfig } from "../destination/records.ts";
import type { ExportField } from "../run/columns.ts";
import type { ExportRunFailure } from "../shared/failures.ts";
import type { Compression, FormatVersion } from "../shared/format.ts";
import type { Limits } from "../shared/limits.ts";
import type { SegmentRef, SelectedSegment } from "../shared/segment.ts";
import type { Partition } from "./partition.ts";

/** Everything a run needs to know, fixed when it starts. */
export interface ExportRunSpec {
  readonly runId: string;
  readonly exportId: string;
  readonly tenantId: string;
  readonly projectId: string;
  readonly shards: number;
  /** The schedule that spawned the export; absent: none. */
  readonly scheduleId?: string;
  readonly destinationId: string;
  readonly destination: DestinationConfig;
  readonly partition: Partition;
  readonly formatVersion: FormatVersion;
  readonly exportFields: readonly ExportField[] | null;
  /** As sent, and accepted; null: all runs. */
  readonly filter: string | null;
  readonly compression: Compression;
  readonly limits: Limits;
  readonly createdAt: number;
}

/** What the snapshot holds. */
export interface SnapshotFacts {
  /** Where its list of segments lies in scratch when it is long. */
  readonly key: string;
  /** The list itself when it is short; absent: it lies under `key`. */
  readonly list?: readonly SelectedSegment[];
  readonly segments: number;
  readonly rows: number;
  readonly bytes: number;
}

/** How a table of the customer's is cut into pages. The list of them lies in the scratch prefix under `key`. */
export interface StagingFacts {
  readonly key: string;
  readonly pages: number;
  /** Counted by the table's own engine, in one query. */
  readonly rows: number;
}

/** What stands in place of stored segments that could not be copied: made of their rows, or found to be as good. */
export interface DerivedSegment {
  /** Position of the original in the snapshot. */
  readonly index: number;
  /** Position of the last one, where it stands for several in a row; absent: only one. */
  readonly upTo?: number;
  /** null: no row of the originals is meant. */
  readonly segment: SegmentRef | null;
  /** It was made in memory and is no object: after a restart it is made again, byte for byte. Absent: it is one. */
  readonly isHeld?: true;
}

export interface CommittedFile {
  readonly ordinal: number;
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  /** Of the whole file, in hex. */
  readonly sha256: string;
  /**
   * The ETag of a store that makes its ETags of MD5s: the file's, or that of the MD5s of its parts followed by `-` and
   * their number.
   */
  readonly expectedEtag: string;
  /** As the store gave it; null when it gave none and may not be asked. */
  readonly etag: string | null;
  readonly verification: Verification;
}

/**
 * What a HEAD showed of a file. `size+etag`: its size and exactly the ETag expected, so its bytes. `size`: its size;
 * the store's ETags are no MD5s (encryption with keys of the customer's). `none`: the credentials may not read.
 */
export type Verification = "size+etag" | "size" | "none";

/** The one kind of work at a time that a run does; an open one found at the next wake-up means the process died. */
export type StepName = "snapshot" | "prepare" | "upload" | "abort" | "clean";

export type ExportRunEvent =
  | { readonly type: "RunStarted"; readonly spec: ExportRunSpec; readonly at: number }
  | { readonly type: "AttemptStarted"; readonly retry: number; readonly at: number; readonly deadline: number }
  | { readonly type: "StepBegan"; readonly step: StepName; readonly at: number }
  /** The step gave way to the next alarm before its work was done; nothing went wrong. */
  | { readonly type: "StepPaused"; readonly at: number }
  | { readonly type: "StepCrashed"; readonly step: StepName; readonly times: number; readonly at: number }
  | { readonly type: "StagingBegan"; readonly staging: StagingFacts; readonly at: number }
  /** A page of the table arrived and lies in scratch, with as many rows as were counted. */
  | { readonly type: "PageStaged"; readonly page: number; readonly segment: SegmentRef; readonly at: number }
  /** The table's rows are no longer those that were counted: what was staged of them is given up. */
  | { readonly type: "StagingDropped"; readonly at: number }
  | { readonly type: "SnapshotTaken"; readonly snapshot: SnapshotFacts; readonly at: number }
  | { readonly type: "SegmentDerived"; readonly derived: DerivedSegment; readonly at: number }
  | {
      readonly type: "FilesPlanned";
      readonly files: number;
      readonly rows: number;
      readonly bytes: number;
      readonly at: number;
    }
  | {
      readonly type: "UploadOpened";
      readonly file: number;
      readonly key: string;
      readonly uploadId: string;
      readonly at: number;
    }
  | {
      readonly type: "PartUploaded";
      readonly file: number;
      readonly part: number;
      readonly etag: string;
      /** In hex. */
      readonly md5: string;
      readonly bytes: number;
      readonly at: number;
    }
  | { readonly type: "UploadLost"; readonly file: number; readonly at: number }
  | { readonly type: "UploadAborted"; readonly file: number; readonly at: number }
  /** The open upload of an ended run could not be given up; it is tried again at `retryAt`. */
  | {
      readonly type: "AbortFailed";
      readonly file: number;
      readonly failure: ExportRunFailure;
      readonly retryAt: number;
      readonly at: number;
    }
  | { readonly type: "AbortRetried"; readonly at: number }
  /** The open upload of an ended run is left to the bucket's own lifecycle rule. */
  | { readonly type: "UploadAbandoned"; readonly file: number; readonly failure: ExportRunFailure; readonly at: number }
  | { readonly type: "FileCommitted"; readonly file: CommittedFile; readonly at: number }
  /** The store asked for fewer requests, or took a part too slowly: the step rests until `resumeAt`, then fewer parts go up at once. */
  | { readonly type: "SlowedDown"; readonly partsInFlight: number; readonly resumeAt: number; readonly at: number }
  | { readonly type: "SlowDownEnded"; readonly at: number }
  | { readonly type: "SpedUp"; readonly partsInFlight: number; readonly at: number }
  | {
      readonly type: "AttemptFailed";
      readonly retry: number;
      readonly failure: ExportRunFailure;
      readonly retryAt: number;
      readonly at: number;
    }
  | { readonly type: "RunCompleted"; readonly rows: number; readonly at: number }
  | { readonly type: "RunFailed"; readonly retry: number; readonly failure: ExportRunFailure; readonly at: number }
  | { readonly type: "RunPaused"; readonly order: number; readonly at: number }
  /** `deadline`: the attempt's, moved by the pause; null when none is under way. */
  | { readonly type: "RunResumed"; readonly order: number; readonly deadline: number | null; readonly at: number }
  | { readonly type: "RunCancelled"; readonly at: number }
  | { readonly type: "RunTimedOut"; readonly at: number }
  | { readonly type: "ScratchCleaned"; readonly at: number };
