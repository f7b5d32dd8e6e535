import { countOwnPartitions, latePartitions } from "../../../src/domain/export/partitions.ts";
import type { Invariant } from "./invariant.ts";

/** Limits of concurrent exports and runs, and their order. */
export const admission: Invariant = {
  name: "admission",
  promise:
    "At most MAX_RUNNING_EXPORTS exports of a workspace and MAX_RUNNING_RUNS runs of an export run concurrently; both start in the order of their creation.",
  watch: (world, violated) => {
    const { logs, scenario } = world;
    const maxExports = Number(scenario.settings.MAX_RUNNING_EXPORTS);
    const maxRuns = Number(scenario.settings.MAX_RUNNING_RUNS);
    let waiting: string[] = [];
    const waitingRuns = new Map<string, number[]>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "WORKSPACE" && event.type === "ExportRegistered" && event.definition.intervalHours === null)
          waiting.push(event.definition.id);
        if (of === "WORKSPACE" && event.type === "ExportReported" && event.report.finishedAt !== null)
          waiting = waiting.filter((id) => id !== event.id);
        if (of === "WORKSPACE" && event.type === "ExportAdmitted" && waiting.shift() !== event.id)
          violated(`export ${event.id} was admitted out of order`);
        if (of === "EXPORT" && event.type === "DaysChecked") {
          const state = logs.exportState(actor);
          if (state.status === "NONE") return;
          const { definition } = state.plan;
          const late = event.upto === countOwnPartitions(definition) ? latePartitions(definition) : [];
          const found = [...event.withRows, ...late.map(({ ordinal }) => ordinal)];
          waitingRuns.set(actor.name, [...(waitingRuns.get(actor.name) ?? []), ...found]);
        }
        if (of === "EXPORT" && event.type === "RunAdmitted") {
          const expected = waitingRuns.get(actor.name)?.shift();
          if (event.ordinal !== expected) violated(`${actor.name} starts run ${event.ordinal}, not run ${expected}`);
        }
        if (of === "EXPORT" && event.type === "ExportStarted") {
          const running = [...logs.exports.values()].filter((one) => logs.exportState(one).status === "RUNNING");
          if (running.length > maxExports) violated(`${running.length} exports run, the limit is ${maxExports}`);
        }
        if (of === "EXPORT_RUN" && event.type === "RunStarted") {
          const runs = logs.runsOf(event.spec.exportId);
          const running = runs.filter((one) => logs.runState(one).status === "RUNNING").length;
          if (running > maxRuns) violated(`${running} runs of ${event.spec.exportId} run, the limit is ${maxRuns}`);
        }
      },
    };
  },
};
