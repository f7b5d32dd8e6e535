import { DAY_MS, dayOf, startOfDay } from "../../domain/shared/time.ts";
import { microsFromDottedOrder } from "../../domain/shared/time-text.ts";

/** The trace of a run, and the days on which its other runs are searched. */
export interface TraceOfRun {
  /** Id of the root. */
  readonly id: string;
  /**
   * UTC days: the root's start day according to the dotted order, the next day, and the run's own day. Other days are
   * not searched.
   */
  readonly days: readonly string[];
}

/** `start` in epoch microseconds. A run without a trace id is its own trace. */
export function traceOfRun(run: {
  readonly id: string;
  readonly start: number;
  readonly trace_id: string | null;
  readonly dotted_order: string | null;
}): TraceOfRun {
  const own = dayOf(run.start / 1000);
  const [root = ""] = (run.dotted_order ?? "").split(".");
  const rootStart = microsFromDottedOrder(root);
  const first = rootStart === null ? own : dayOf(rootStart / 1000);
  const next = dayOf(startOfDay(first) + DAY_MS);
  return { id: run.trace_id ?? run.id, days: [...new Set([first, next, own])] };
}
