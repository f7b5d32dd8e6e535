import { DAY_MS, dayOf, startOfDay } from "../../domain/shared/time.ts";
import { microsFromDottedOrder } from "../../domain/shared/time-text.ts";

/** Which trace a run belongs to, and where its other runs are looked for. */
export interface TraceOfRun {
  /** Id of the root. */
  readonly id: string;
  /**
   * UTC days: that on which the root began as the dotted order says, the next one, and the run's own. Runs of the trace
   * on other days are not looked at.
   */
  readonly days: readonly string[];
}

/** `start` in epoch microseconds. A run that names no trace is one of its own. */
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
