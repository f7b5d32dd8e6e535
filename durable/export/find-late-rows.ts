import type { LateLook } from "../../src/domain/export/commands.ts";
import type { ExportPlan } from "../../src/domain/export/events.ts";
import type { CreatedExport } from "../../src/domain/export/state.ts";
import { coveredPartOf, MAX_LATE_DAYS } from "../../src/domain/schedule/late.ts";
import { ok } from "../../src/domain/shared/result.ts";
import { dayOf, type Window } from "../../src/domain/shared/time.ts";
import { log } from "../../src/log.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { lookInTable } from "../source/clickhouse/late-rows.ts";

/** Days asked at once. */
const LOOK_LANES = 6;

/**
 * Finds the days with rows that came late for a schedule, before it spawns the window that begins at `before`: those
 * that came in here, and those of the customer's table.
 */
export async function lookForLate(
  env: Env,
  plan: ExportPlan,
  before: number,
  known: Pick<CreatedExport, "noted" | "table">,
): Promise<LateLook> {
  const { windows, noted } = await lookHere(env, plan, before, known.noted);
  const found = await lookInTable(env, plan, before, known.table);
  if (!found.ok) return { before, noted, windows, table: found };
  return { before, noted, windows: [...windows, ...found.value.rows], table: ok(found.value.take) };
}

/** Only days noted since the last look are asked, so a look costs next to nothing where nothing came. */
async function lookHere(
  env: Env,
  plan: ExportPlan,
  before: number,
  after: number,
): Promise<Pick<LateLook, "windows" | "noted">> {
  const { tenantId, projectId, start } = plan.definition;
  const firstDay = dayOf(start);
  const lastDay = dayOf(before - 1);
  const query = { projectId, after, firstDay, lastDay, limit: MAX_LATE_DAYS };
  const registered = await unrouted(env, tenantId).registeredDays(query);
  const parts = [...registered.days].sort().flatMap((day) => coveredPartOf(day, start, before) ?? []);
  const answers = await mapConcurrent(LOOK_LANES, parts, (part) => hasLate(env, plan, part));
  return { noted: registered.upTo, windows: parts.filter((_, i) => answers[i]) };
}

async function hasLate(env: Env, plan: ExportPlan, part: Window): Promise<boolean> {
  const { id } = plan.definition;
  const day = dayOf(part.start);
  const asked = shardsOf(env, plan, day).map((shard) => shard.hasLate(id, part.end));
  const answers = await Promise.allSettled(asked);
  if (answers.some((one) => one.status === "rejected")) {
    // One day that cannot be asked must not hold up the schedule: it is noted again, for the next window.
    log("late_look_failed", { schedule: id, day });
    await noteAgain(env, plan, day);
    return false;
  }
  return answers.some((one) => one.status === "fulfilled" && one.value);
}

/** An export ended without completing: the late rows of that day are free for the next window, which hears of it. */
export async function releaseLate(env: Env, plan: ExportPlan, day: string): Promise<void> {
  await Promise.all(shardsOf(env, plan, day).map((shard) => shard.release(plan.definition.id)));
  await noteAgain(env, plan, day);
}

/** Has the next window of a schedule look at the day. */
const noteAgain = (env: Env, { definition, shards }: ExportPlan, day: string): Promise<void> =>
  unrouted(env, definition.tenantId).registerDay({ projectId: definition.projectId, day, shards });

const shardsOf = (env: Env, { definition: { tenantId, projectId }, shards }: ExportPlan, day: string) =>
  Array.from({ length: shards }, (_, shard) => traceShard(env, { tenantId, projectId, day, shard }));
