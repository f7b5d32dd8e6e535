import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Partition } from "../../../src/domain/export-run/partition.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { DaysQuestion, FoundDays } from "./days.ts";
import type { Estimate, EstimateFailure, EstimateQuestion } from "./estimate.ts";
import type { FoundLate, LateQuestion } from "./late-rows.ts";
import type { StagingArea } from "./staging-area.ts";

/**
 * The port to the store of one project's runs, as far as exports need it. Faults of another party (a customer's
 * database) are values; a throw is a fault of our own, and the caller tries again.
 */
export interface TraceSource {
  /**
   * Fixes the runs of an export run, as segments in the bucket `SEGMENTS`: every run that started in the partition and
   * was acknowledged before the first call. For a late partition: the runs that arrived after the schedule exported
   * their window. A segment may be missing if none of its runs matches the filter.
   *
   * A source that must copy its runs stages them page by page in `staging`. It answers null if it had to stop before
   * all pages were staged; the next call continues after the last recorded page.
   */
  snapshot(question: SnapshotQuestion, staging: StagingArea): Promise<SnapshotAnswer>;

  /**
   * Finds the days of an export's window that have rows. A day that the answer leaves out had no acknowledged row when it
   * was given; rows that come later are late for the schedule that spawned the export. Asked again for the same export,
   * no day becomes one with rows.
   */
  findDays(question: DaysQuestion): Promise<FoundDays>;

  /** Finds the late rows of a schedule, before it spawns its next window. */
  findLate(question: LateQuestion): Promise<FoundLate>;

  /** An export ended without completing: the rows of this late partition go to the schedule's next window. */
  releaseLate(exportId: string, partition: Partition): Promise<void>;

  /** Size of an export that starts now. Takes no snapshot and exports nothing. */
  estimate(question: EstimateQuestion): Promise<Result<Estimate, EstimateFailure>>;
}

/** The project of a source. */
export interface SourceProject {
  readonly tenantId: string;
  readonly projectId: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}

/** The input of a snapshot. */
export type SnapshotQuestion = Pick<
  ExportRunSpec,
  "exportId" | "scheduleId" | "partition" | "filter" | "formatVersion" | "exportFields"
>;

/** null: not all segments are staged yet. */
export type SnapshotAnswer = Result<readonly SnapshotSegment[] | null, ExportRunFailure>;
