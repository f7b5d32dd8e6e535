import type { DestinationConfig } from "../destination/records.ts";
import type { ExportField } from "../run/columns.ts";
import type { ExportFailure, ExportRunFailure } from "../shared/failures.ts";
import type { Compression, FormatVersion } from "../shared/format.ts";
import type { Limits } from "../shared/limits.ts";
import type { SegmentRef, SelectedSegment } from "../shared/segment.ts";
import type { Partition } from "./partition.ts";

/** What a run needs to know; fixed when it starts. */
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
  /** The accepted filter as sent; null: all runs. */
  readonly filter: string | null;
  readonly compression: Compression;
  readonly limits: Limits;
  readonly createdAt: number;
}

/** Contents of the snapshot. */
export interface SnapshotFacts {
  /** Key of its list of segments in scratch, when the list is long. */
  readonly key: string;
  /** The list itself, when it is short; absent: it is stored under `key`. */
  readonly list?: readonly SelectedSegment[];
  readonly segments: number;
  readonly rows: number;
  readonly bytes: number;
}

/** How a customer's table is cut into pages. The list of pages is stored in scratch under `key`. */
export interface StagingFacts {
  readonly key: string;
  readonly pages: number;
  /** Counted by one query to the table. */
  readonly rows: number;
}

/** Replaces stored segments whose rows cannot be copied unchanged: a new segment, or one of them that needs no change. */
export interface DerivedSegment {
  /** Position of the original in the snapshot. */
  readonly index: number;
  /** Position of the last one, where it replaces several in a row; absent: only one. */
  readonly upTo?: number;
  /** null: no row of the originals is exported. */
  readonly segment: SegmentRef | null;
  /** true: it exists in memory only, and is made again, byte for byte, after a restart. Absent: it is an object in scratch. */
  readonly isHeld?: true;
}

export interface CommittedFile {
  readonly ordinal: number;
  readonly key: string;
  readonly rows: number;
  /** Rows of which something was left out [ROW-17]. */
  readonly incompleteRows: number;
  readonly bytes: number;
  /** Of the whole file, in hex. */
  readonly sha256: string;
  /**
   * The ETag in a store that derives ETags from MD5: of the file, or of the MD5s of its parts followed by `-` and their
   * number.
   */
  readonly expectedEtag: string;
  /** As the store answered it; null: it answered none, and the credentials may not read. */
  readonly etag: string | null;
  readonly verification: Verification;
}

/**
 * What a HEAD showed of a file. `size+etag`: its size and the expected ETag, so its bytes. `size`: its size; the store
 * does not derive ETags from MD5 (encryption with the customer's keys). `none`: the credentials may not read.
 */
export type Verification = "size+etag" | "size" | "none";

/** A run does one step at a time. A step that is still open when the actor wakes means that the process died. */
export type StepName = "snapshot" | "prepare" | "upload" | "abort" | "clean";

export type ExportRunEvent =
  | { readonly type: "RunStarted"; readonly spec: ExportRunSpec; readonly at: number }
  | { readonly type: "AttemptStarted"; readonly retry: number; readonly at: number; readonly deadline: number }
  | { readonly type: "StepBegan"; readonly step: StepName; readonly at: number }
  /** The step goes on with the next alarm; nothing failed. */
  | { readonly type: "StepPaused"; readonly at: number }
  /** `times`: interruptions in a row without progress, including this one; 0: the step had made progress. */
  | { readonly type: "StepCrashed"; readonly step: StepName; readonly times: number; readonly at: number }
  | { readonly type: "StagingBegan"; readonly staging: StagingFacts; readonly at: number }
  /** A page of the table was copied to scratch, with as many rows as were counted. */
  | { readonly type: "PageStaged"; readonly page: number; readonly segment: SegmentRef; readonly at: number }
  /** The table's rows are no longer those that were counted: its staged pages are dropped. */
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
  /** The open upload of an ended run could not be aborted; it is tried again at `retryAt`. */
  | {
      readonly type: "AbortFailed";
      readonly file: number;
      readonly failure: ExportRunFailure;
      readonly retryAt: number;
      readonly at: number;
    }
  | { readonly type: "AbortRetried"; readonly at: number }
  /** The open upload of an ended run is left to the bucket's lifecycle rule. */
  | { readonly type: "UploadAbandoned"; readonly file: number; readonly failure: ExportRunFailure; readonly at: number }
  | { readonly type: "FileCommitted"; readonly file: CommittedFile; readonly at: number }
  /** The store asked for fewer requests, or was too slow: the step waits until `resumeAt`, then fewer parts are in flight. */
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
  /** Its export ended for that reason, while the run was not done. */
  | { readonly type: "RunStopped"; readonly failure: ExportFailure; readonly at: number }
  | { readonly type: "ScratchCleaned"; readonly at: number };
