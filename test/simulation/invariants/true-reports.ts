import { lookUp } from "../../../src/domain/shared/bucket-map.ts";
import type { Invariant } from "./invariant.ts";

/** What one actor believes of another is what that other said last. */
export const trueReports: Invariant = {
  name: "true-reports",
  promise:
    "A late report never replaces a newer one; at rest a workspace knows of each export, and an export of each run, how it ended.",
  watch: (world, violated) => {
    const heard = new Map<string, number>();
    const hear = (from: string, seq: number) => {
      const before = heard.get(from) ?? -1;
      if (seq <= before) violated(`report ${seq} of ${from} was taken after report ${before}`);
      heard.set(from, seq);
    };
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "WORKSPACE" && event.type === "ExportReported") hear(event.id, event.seq);
        if (of === "EXPORT" && event.type === "RunReported") hear(`${actor.name} ${event.ordinal}`, event.seq);
      },
      atRest: () => {
        const { logs } = world;
        const home = logs.workspaceOf(world.customer.tenantId);
        if (home.status === "NONE") return;
        for (const actor of logs.exports.values()) {
          const state = logs.exportState(actor);
          if (state.status === "NONE") continue;
          const { id } = state.plan.definition;
          const believed = lookUp(home.exports, id)?.report.status;
          if (believed !== state.status)
            violated(`the workspace takes export ${id} for ${believed}, it is ${state.status}`);
          for (const run of logs.runsOf(id)) {
            const told = logs.runState(run);
            if (told.status === "NONE") continue;
            const known = state.runs[told.spec.partition.ordinal]?.report.status;
            if (known !== told.status) violated(`the export takes ${run.name} for ${known}, it is ${told.status}`);
          }
        }
      },
    };
  },
};
