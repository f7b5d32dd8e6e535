import { findAdmitted } from "../../../src/domain/export/known-runs.ts";
import { lookUp } from "../../../src/domain/shared/bucket-map.ts";
import type { Invariant } from "./invariant.ts";

/** Actors know the latest state of each other. */
export const trueReports: Invariant = {
  name: "true-reports",
  promise:
    "A late report never replaces a newer one; at the end a workspace knows the final status of each export, and an export that of each run.",
  watch: (world, violated) => {
    const lastReport = new Map<string, number>();
    const record = (from: string, seq: number) => {
      const before = lastReport.get(from) ?? -1;
      if (seq <= before) violated(`report ${seq} of ${from} was accepted after report ${before}`);
      lastReport.set(from, seq);
    };
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "WORKSPACE" && event.type === "ExportReported") record(event.id, event.seq);
        if (of === "EXPORT" && event.type === "RunReported") record(`${actor.name} ${event.ordinal}`, event.seq);
      },
      atRest: () => {
        const { logs } = world;
        const home = logs.workspaceOf(world.customer.tenantId);
        if (home.status === "NONE") return;
        for (const actor of logs.exports.values()) {
          const state = logs.exportState(actor);
          if (state.status === "NONE") continue;
          const { id } = state.plan.definition;
          const reported = lookUp(home.exports, id)?.report.status;
          if (reported !== state.status)
            violated(`the workspace knows export ${id} as ${reported}, but it is ${state.status}`);
          for (const run of logs.runsOf(id)) {
            const actual = logs.runState(run);
            if (actual.status === "NONE") continue;
            const known = findAdmitted(state.runs, actual.spec.partition.ordinal)?.report.status;
            if (known !== actual.status)
              violated(`the export knows ${run.name} as ${known}, but it is ${actual.status}`);
          }
        }
      },
    };
  },
};
