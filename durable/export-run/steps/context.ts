import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Progress } from "../../../src/domain/export-run/state.ts";
import type { SelectedSegment } from "../../../src/domain/shared/segment.ts";
import type { Env } from "../../protocol/env.ts";

/** What a step of a run works with. Steps never throw for an expected failure: they record it. */
export interface StepContext {
  readonly env: Env;
  readonly spec: ExportRunSpec;
  /** Number of the last snapshot step begun: of this one, if it is one. */
  readonly snapshotStep: number;
  /** The run's progress as it is now; other commands may have changed it since the step began. */
  progress(): Progress;
  /**
   * Records what happened. False: the run no longer wants this work (cancelled, timed out, attempt over, paused, asked
   * for another snapshot), and this step will never be wanted again; it then leaves, and what it did since is harmless because keys are deterministic.
   * A failure is recorded only while the step is wanted, and no later turn does its work.
   */
  record(command: ExportRunCommand): boolean;
  /** The same, asked without recording anything: before something is made after a long wait. */
  isWanted(): boolean;
  /** Whether the step should leave the rest to the next alarm. */
  isTired(): boolean;
}

/** The list of segments that a snapshot found, as it lies in the scratch prefix when it is long. */
export interface StoredSnapshot {
  readonly segments: readonly SelectedSegment[];
}
