import type { ExportState } from "../../../src/domain/export/state.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { Invariant } from "./invariant.ts";

/** A run that was stopped says the truth about it. */
export const trueEnds: Invariant = {
  name: "true-ends",
  promise:
    "At the end a run is CANCELLED only if its export was, a stopped run shows the reason of its export, and the run that an export names as its failure has failed by itself.",
  watch: ({ logs }, violated) => ({
    atRest: () => {
      for (const actor of logs.exports.values()) {
        const state = logs.exportState(actor);
        if (state.status === "NONE") continue;
        for (const run of logs.runsOf(state.plan.definition.id)) {
          const problem = untruth(state, logs.runState(run));
          if (problem !== null) violated(`${run.name} ${problem}`);
        }
      }
    },
  }),
};

function untruth(state: Exclude<ExportState, { status: "NONE" }>, run: ExportRunState): string | null {
  if (run.status === "NONE" || run.status === "RUNNING") return null;
  if (run.status === "CANCELLED" && state.status !== "CANCELLED")
    return `is CANCELLED, but its export is ${state.status}`;
  const { exportFailure } = run;
  if (exportFailure !== null && JSON.stringify(exportFailure) !== JSON.stringify(state.failure))
    return `was stopped by ${JSON.stringify(exportFailure)}, but its export ended by ${JSON.stringify(state.failure)}`;
  const isNamed = state.failure?.reason === "run_failed" && state.failure.runId === run.spec.runId;
  if (isNamed && (run.status !== "FAILED" || exportFailure !== null))
    return `is named as the failure of its export, but is ${run.status}`;
  return null;
}
