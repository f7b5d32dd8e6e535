import type { Partition } from "../../../src/domain/export-run/partition.ts";
import { coveredPartOf, MAX_LATE_DAYS } from "../../../src/domain/schedule/late.ts";
import { dayOfMicros, type Window } from "../../../src/domain/shared/time.ts";
import { log } from "../../../src/log.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { FoundLate, LateQuestion } from "../port/late-rows.ts";
import type { SourceProject } from "../port/trace-source.ts";

/** Days queried concurrently. */
const DAY_LANES = 6;

/**
 * The late rows of the built-in store. Shards store what a schedule has exported of them. Only days that were
 * registered since the last search are queried, so a search is cheap if nothing arrived.
 */
export async function findLateInShards(
  env: Env,
  project: SourceProject,
  { schedule: { id }, window: { covered }, known }: LateQuestion,
): Promise<FoundLate> {
  if (covered === null) return { windows: [], lastRegistration: known.lastRegistration };
  const { start, end: before } = covered;
  const registered = await unrouted(env, project.tenantId).registeredDays({
    projectId: project.projectId,
    scheduleId: id,
    after: known.lastRegistration,
    firstDay: dayOfMicros(start),
    lastDay: dayOfMicros(before - 1),
    limit: MAX_LATE_DAYS,
  });
  const days = registered.days.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const parts = days.flatMap(({ day, empty }) => {
    const part = coveredPartOf(day, start, before);
    return part === null ? [] : [{ ...part, empty }];
  });
  const answers = await mapConcurrent(DAY_LANES, parts, (part) => hasLate(env, project, id, part));
  const windows = parts.filter((_, i) => answers[i]).map(({ empty: _, ...part }) => part);
  return { windows, lastRegistration: registered.upTo };
}

async function hasLate(
  env: Env,
  project: SourceProject,
  scheduleId: string,
  part: Window & { readonly empty: readonly Window[] },
): Promise<boolean> {
  const day = dayOfMicros(part.start);
  const answers = await Promise.allSettled(
    shardsOf(env, project, day).map((shard) => shard.hasLate(scheduleId, part.end, part.empty)),
  );
  if (answers.some((one) => one.status === "rejected")) {
    // One day that does not answer must not stop the schedule: it is registered again, for the next window.
    log("late_search_failed", { schedule: scheduleId, day });
    await registerAgain(env, project, day);
    return false;
  }
  return answers.some((one) => one.status === "fulfilled" && one.value);
}

/** Deletes the export's claims of the day, and registers the day for the schedule's next window. */
export async function releaseInShards(
  env: Env,
  project: SourceProject,
  exportId: string,
  partition: Partition,
): Promise<void> {
  if (isOfTable(partition)) return;
  await Promise.all(shardsOf(env, project, partition.day).map((shard) => shard.release(exportId)));
  await registerAgain(env, project, partition.day);
}

/** Whether these are late rows of a table to which the project was bound. */
export const isOfTable = ({ late, ingested }: Partition): boolean => late === true && ingested !== undefined;

const registerAgain = (env: Env, { tenantId, projectId, shards }: SourceProject, day: string): Promise<void> =>
  unrouted(env, tenantId).registerDay({ projectId, day, shards });

const shardsOf = (env: Env, { tenantId, projectId, shards }: SourceProject, day: string) =>
  Array.from({ length: shards }, (_, shard) => traceShard(env, { tenantId, projectId, day, shard }));
