import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Partition } from "../../../src/domain/export-run/partition.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { Estimate, EstimateFailure, EstimateQuestion } from "./estimate.ts";
import type { FoundLate, LateQuestion } from "./late-rows.ts";
import type { StagingArea } from "./staging-area.ts";

/**
 * The port to the place where the runs of one project are kept, with everything that exports need of it. Faults of
 * another party (a customer's database) are values; a throw is a fault of our own, and the caller tries again.
 */
export interface TraceSource {
  /**
   * Fixes which runs an export run exports, as segments in the bucket `SEGMENTS`: every run that started in the
   * partition and was acknowledged before the first call. Of a late partition: those that arrived after the schedule
   * exported their window. A segment of which no run matches the filter may be missing.
   *
   * A source that has to copy its runs stages them page by page in `staging`. It answers null when it had to leave before
   * all pages were there; the next call continues after the last page recorded.
   */
  snapshot(question: SnapshotQuestion, staging: StagingArea): Promise<SnapshotAnswer>;

  /** Finds the late rows of a schedule, before it spawns its next window. */
  findLate(question: LateQuestion): Promise<FoundLate>;

  /** An export ended without completing: the rows of this late partition go to the schedule's next window. */
  releaseLate(exportId: string, partition: Partition): Promise<void>;

  /** What an export would hold if it started now. Takes no snapshot and exports nothing. */
  estimate(question: EstimateQuestion): Promise<Result<Estimate, EstimateFailure>>;
}

/** The project whose runs a source has. */
export interface SourceProject {
  readonly tenantId: string;
  readonly projectId: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}

/** What a snapshot depends on. */
export type SnapshotQuestion = Pick<
  ExportRunSpec,
  "exportId" | "scheduleId" | "partition" | "filter" | "formatVersion" | "exportFields"
>;

/** Null: not all segments are there yet. */
export type SnapshotAnswer = Result<readonly SnapshotSegment[] | null, ExportRunFailure>;
