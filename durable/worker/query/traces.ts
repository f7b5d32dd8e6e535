import type { Filter } from "../../../src/filter/filter.ts";
import type { Position } from "../../../src/trace/query/order.ts";
import type { Hit } from "../../protocol/query.ts";
import { type Asking, findInDays } from "./shards.ts";

/** Runs of traces per question. */
const RUNS_PER_QUESTION = 1000;

const EVERYTHING = {
  window: { start: 0, end: Number.MAX_SAFE_INTEGER },
  order: "desc",
  limit: RUNS_PER_QUESTION,
} as const;

/** The hits whose trace passes. null: the budget was spent before that was known. */
export type TraceTest = (hits: readonly Hit[]) => Promise<readonly Hit[] | null>;

/** A test whether the root, or any run, of a hit's trace matches the filter. Each trace is searched once. */
export function traceTest(
  asking: Asking,
  filter: Filter,
  scope: "root" | "any",
  shardsOf: (projectId: string) => number,
): TraceTest {
  const known = new Map<string, boolean>();

  /** Searches the traces of hits that share project and days; false: the budget was spent. */
  const search = async (hits: readonly Hit[]): Promise<boolean> => {
    const left = new Map(hits.map((hit) => [hit.trace.id, keyOf(hit)]));
    const days = (hits[0]?.trace.days ?? []).map((day) => {
      const projectId = hits[0]?.projectId ?? "";
      return { projectId, day, shards: shardsOf(projectId) };
    });
    let after: Position | null = null;
    do {
      const traces = [...left.keys()];
      const selection = scope === "root" ? { ids: traces, traceIds: null } : { ids: null, traceIds: traces };
      const found = await findInDays(asking, days, { ...EVERYTHING, ...selection, filter, after });
      if (found === null) return false;
      for (const { id, trace } of found.hits) {
        const traceId = scope === "root" ? id : trace.id;
        known.set(left.get(traceId) ?? "", true);
        left.delete(traceId);
      }
      after = found.stoppedAt;
    } while (after !== null && left.size > 0);
    for (const key of left.values()) known.set(key, false);
    return true;
  };

  return async (hits) => {
    const unknown = hits.filter((hit) => !known.has(keyOf(hit)));
    const groups = Map.groupBy(unknown, ({ projectId, trace }) => `${projectId}/${trace.days}`);
    for (const group of groups.values()) if (!(await search(group))) return null;
    return hits.filter((hit) => known.get(keyOf(hit)) === true);
  };
}

const keyOf = ({ projectId, trace }: Hit): string => `${projectId}/${trace.id}/${trace.days}`;
