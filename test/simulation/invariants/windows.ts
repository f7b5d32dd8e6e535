import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import { lookUp } from "../../../src/domain/shared/bucket-map.ts";
import type { Invariant } from "./invariant.ts";

const HOUR_MICROS = 3_600_000_000;

/** Whether that window may follow the spawned ones: the next in time, or with `newest_first` the newest of the past. */
function isInOrder(
  { start, intervalHours, catchUp, createdAt }: ExportDefinition,
  spawnDelayMs: number,
  spawned: readonly number[],
  index: number,
): boolean {
  const ended = Math.floor(((createdAt - spawnDelayMs) * 1000 - start) / ((intervalHours ?? 1) * HOUR_MICROS));
  const past = catchUp === "newest_first" ? Math.max(0, ended) : 0;
  if (index >= past) return index === past + spawned.filter((one) => one >= past).length;
  return index === past - 1 - spawned.filter((one) => one < past).length;
}

/** A schedule spawns each window exactly once. */
export const windows: Invariant = {
  name: "windows",
  promise:
    "A schedule spawns its windows in order, each once and not before its end and the spawn delay; each becomes an export of exactly that window.",
  watch: (world, violated) => {
    const spawned = new Map<string, readonly number[]>();
    const expected: { readonly id: string; readonly start: number; readonly end: number }[] = [];
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT" || event.type !== "WindowSpawned") return;
        const state = world.logs.exportState(actor);
        if (state.status === "NONE" || state.plan.definition.intervalHours === null)
          return violated(`${actor.name} spawns a window but is not a schedule`);
        const { definition, limits } = state.plan;
        const span = (definition.intervalHours ?? 0) * HOUR_MICROS;
        const { index } = event;
        const isNext = isInOrder(definition, limits.spawnDelayMs, spawned.get(actor.name) ?? [], index);
        if (!isNext) violated(`${actor.name} spawns window ${index} out of order`);
        spawned.set(actor.name, [...(spawned.get(actor.name) ?? []), index]);
        const start = definition.start + index * span;
        if (event.start !== start || event.end !== start + span)
          violated(`${actor.name} spawns [${event.start}, ${event.end}) as window ${index}, which begins at ${start}`);
        if (event.at < event.end / 1000 + limits.spawnDelayMs)
          violated(`${actor.name} spawns window ${index} too early`);
        if (expected.some(({ id }) => id === event.exportId)) violated(`${event.exportId} is spawned twice`);
        expected.push({ id: event.exportId, start, end: start + span });
      },
      atRest: () => {
        const home = world.logs.workspaceOf(world.customer.tenantId);
        if (home.status === "NONE") return;
        for (const { id, start, end } of expected) {
          const known = lookUp(home.exports, id)?.definition;
          if (known?.start !== start || known.end !== end) violated(`the window of export ${id} was never exported`);
        }
      },
    };
  },
};
