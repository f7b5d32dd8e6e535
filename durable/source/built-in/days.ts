import { dayOfMicros } from "../../../src/domain/shared/time.ts";
import { unrouted } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { DaysQuestion, FoundDays } from "../port/days.ts";
import type { SourceProject } from "../port/trace-source.ts";

/** One question to the tenant's index of days, for any window. A day is registered before a row of it is acknowledged. */
export const findDaysInShards = (
  env: Env,
  { tenantId, projectId }: SourceProject,
  { scheduleId, window, limit }: DaysQuestion,
): Promise<FoundDays> =>
  unrouted(env, tenantId).findDays({
    projectId,
    scheduleId: scheduleId ?? null,
    window,
    firstDay: dayOfMicros(window.start),
    lastDay: dayOfMicros(window.end - 1),
    limit,
  });
