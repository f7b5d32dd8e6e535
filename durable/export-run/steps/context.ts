import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Progress } from "../../../src/domain/export-run/progress.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import type { SelectedSegment } from "../../../src/domain/shared/segment.ts";
import type { Env } from "../../protocol/env.ts";

/** What a step of an export run works with. Steps do not throw for an expected failure: they record it. */
export interface StepContext {
  readonly env: Env;
  readonly spec: ExportRunSpec;
  /** Number of the newest snapshot step; in a snapshot step, its own. */
  readonly snapshotStep: number;
  /** The progress as it is now; other commands may have changed it since the step began. */
  progress(): Progress;
  /**
   * Records what happened. False: the export run no longer wants this step, and never will (cancelled, timed out,
   * attempt over, paused, another snapshot step began). The step then leaves; what it did since is harmless, because
   * object keys are deterministic. A failure counts only while the step is wanted and belongs to the newest turn.
   */
  record(command: ExportRunCommand): boolean;
  /** What `record` would answer, without recording anything. */
  isWanted(): boolean;
  /**
   * Aborts when the time of the attempt is over [LIM-3]. The step is then given up: requests and waits that take the
   * signal end, and what it does later changes nothing.
   */
  readonly timeOut: AbortSignal;
  /** Whether the time of this alarm is used up, so that the step should leave the rest to the next one. */
  isTired(): boolean;
}

/** Records that the attempt failed. */
export function recordFailure(context: StepContext, failure: ExportRunFailure): void {
  context.record({ type: "RecordFailure", failure, now: Date.now() });
}

/** A long list of the segments of a snapshot, as stored in scratch. */
export interface StoredSnapshot {
  readonly segments: readonly SelectedSegment[];
}
