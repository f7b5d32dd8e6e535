import type { Invariant } from "./invariant.ts";

/** Not more than may work at once, and whoever came first works first. */
export const admission: Invariant = {
  name: "admission",
  promise:
    "At most MAX_RUNNING_EXPORTS exports of a workspace and MAX_RUNNING_RUNS runs of an export work at once; both begin in the order in which they came.",
  watch: (world, violated) => {
    const { logs, scenario } = world;
    const mostExports = Number(scenario.settings.MAX_RUNNING_EXPORTS);
    const mostRuns = Number(scenario.settings.MAX_RUNNING_RUNS);
    let waiting: string[] = [];
    const nextOrdinal = new Map<string, number>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "WORKSPACE" && event.type === "ExportRegistered" && event.definition.intervalHours === null)
          waiting.push(event.definition.id);
        if (of === "WORKSPACE" && event.type === "ExportReported" && event.report.finishedAt !== null)
          waiting = waiting.filter((id) => id !== event.id);
        if (of === "WORKSPACE" && event.type === "ExportAdmitted" && waiting.shift() !== event.id)
          violated(`export ${event.id} was let in before its turn`);
        if (of === "EXPORT" && event.type === "RunAdmitted") {
          const expected = nextOrdinal.get(actor.name) ?? 0;
          if (event.ordinal !== expected) violated(`${actor.name} begins run ${event.ordinal} before run ${expected}`);
          nextOrdinal.set(actor.name, expected + 1);
        }
        if (of === "EXPORT" && event.type === "ExportStarted") {
          const running = [...logs.exports.values()].filter((one) => logs.exportState(one).status === "RUNNING");
          if (running.length > mostExports) violated(`${running.length} exports work, ${mostExports} may`);
        }
        if (of === "EXPORT_RUN" && event.type === "RunStarted") {
          const runs = logs.runsOf(event.spec.exportId);
          const running = runs.filter((one) => logs.runState(one).status === "RUNNING").length;
          if (running > mostRuns) violated(`${running} runs of ${event.spec.exportId} work, ${mostRuns} may`);
        }
      },
    };
  },
};
