import type { LateSearch } from "../../src/domain/export/commands.ts";
import type { ExportPlan } from "../../src/domain/export/events.ts";
import type { DueWindow } from "../../src/domain/export/spawn.ts";
import type { Partition } from "../../src/domain/export-run/partition.ts";
import { ok } from "../../src/domain/shared/result.ts";
import type { Env } from "../protocol/env.ts";
import type { LateMemory } from "../source/port/late-rows.ts";
import type { SourceProject } from "../source/port/trace-source.ts";
import { lateSourcesOf, sourceOfPartition } from "../source/source-of.ts";

/** Finds the late rows of a schedule, in every source, before it spawns that window. */
export async function findLateRows(
  env: Env,
  plan: ExportPlan,
  window: DueWindow,
  known: LateMemory,
): Promise<LateSearch> {
  let search: LateSearch = {
    before: window.start,
    windows: [],
    lastRegistration: known.lastRegistration,
    table: ok(null),
  };
  for (const source of await lateSourcesOf(env, projectOf(plan))) {
    const found = await source.findLate({ schedule: plan.definition, window, known });
    search = { ...search, ...found, windows: [...search.windows, ...found.windows] };
  }
  return search;
}

/** An export ended without completing: the rows of this late partition go to the schedule's next window. */
export async function releaseLateRows(env: Env, plan: ExportPlan, partition: Partition): Promise<void> {
  const source = await sourceOfPartition(env, projectOf(plan), partition);
  await source.releaseLate(plan.definition.id, partition);
}

const projectOf = ({ definition: { tenantId, projectId }, shards }: ExportPlan): SourceProject => ({
  tenantId,
  projectId,
  shards,
});
