import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import type { ExportWorld } from "../exports/export-world.ts";
import { idsIn } from "../exports/exported-rows.ts";
import type { Invariant } from "./invariant.ts";

interface Schedule {
  readonly definition: ExportDefinition;
  readonly windows: { readonly exportId: string; readonly end: number; readonly at: number }[];
}

/** A row that arrives after the export of its window is exported with a later window. */
export const lateRows: Invariant = {
  name: "late-rows",
  promise:
    "In all COMPLETED exports of a schedule no row occurs twice; if all are COMPLETED, no row is missing that was acknowledged before the second last window was spawned.",
  watch: (world, violated) => {
    const schedules = new Map<string, Schedule>();
    /** Schedules that postponed the search for late rows of a day to a window that may not have been spawned. */
    const postponed = new Set<string>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT" || event.type !== "WindowSpawned") return;
        const state = world.logs.exportState(actor);
        if (state.status === "NONE") return;
        const schedule = schedules.get(actor.name) ?? { definition: state.plan.definition, windows: [] };
        schedule.windows.push({ exportId: event.exportId, end: event.end, at: event.at });
        schedules.set(actor.name, schedule);
      },
      onText: (text, where) => {
        if (where === "the log" && text.includes("late_search_failed"))
          for (const { definition } of schedules.values())
            if (text.includes(definition.id)) postponed.add(definition.id);
      },
      atRest: async () => {
        for (const schedule of schedules.values()) {
          const problem = await problemOf(world, schedule, postponed.has(schedule.definition.id));
          if (problem !== null) violated(`of schedule ${schedule.definition.id} ${problem}`);
        }
      },
    };
  },
};

async function problemOf(
  world: ExportWorld,
  { definition, windows }: Schedule,
  isPostponed: boolean,
): Promise<string | null> {
  const carriedBy = new Map<string, string>();
  let areAllComplete = true;
  for (const { exportId } of windows) {
    const actor = world.logs.exports.get(`export/${exportId}`);
    if (actor === undefined || world.logs.exportState(actor).status !== "COMPLETED") {
      areAllComplete = false;
      continue;
    }
    for (const id of await idsOf(world, exportId)) {
      const other = carriedBy.get(id);
      if (other !== undefined) return `row ${id} is in ${other} and in ${exportId}`;
      carriedBy.set(id, exportId);
    }
  }
  const [lastButOne, last] = windows.slice(-2);
  if (!areAllComplete || isPostponed || lastButOne === undefined || last === undefined) return null;
  const owed = world.rows.within(definition.start, last.end);
  const lost = owed.find(
    ({ id, acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt < lastButOne.at && !carriedBy.has(id),
  );
  return lost === undefined ? null : `row ${lost.id} is in no export`;
}

async function idsOf(world: ExportWorld, exportId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const run of world.logs.runsOf(exportId)) {
    const state = world.logs.runState(run);
    for (const { key } of state.status === "NONE" ? [] : state.progress.files) {
      const object = world.bucket.objects.get(key);
      if (object !== undefined) ids.push(...(await idsIn(object.bytes)));
    }
  }
  return ids;
}
