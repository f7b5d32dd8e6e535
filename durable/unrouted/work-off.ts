import { log } from "../../src/log.ts";
import type { KnownDay } from "../protocol/unrouted.ts";
import type { DayQueue } from "./day-queue.ts";

/** Delay before a day that failed is tried again, in milliseconds. */
const RETRY_MS = 30_000;

/** Runs `work` for due days of the queue; it answers whether the day is done. A day that fails is tried again later. */
export async function workOff(
  tenantId: string,
  queue: DayQueue,
  limit: number,
  work: (day: KnownDay) => Promise<boolean>,
): Promise<void> {
  for (const day of queue.due(Date.now(), limit)) {
    try {
      if (await work(day)) queue.done(day);
    } catch (fault) {
      queue.postpone(day, Date.now() + RETRY_MS);
      log("day_failed", { tenantId, ...day, message: String(fault) });
    }
  }
}
