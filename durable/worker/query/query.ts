import type { QueriedProject } from "../../../src/domain/project/records.ts";
import { keptUntil } from "../../../src/domain/project/retention.ts";
import type { RowColumn } from "../../../src/domain/run/columns.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import { DAY_MS, dayOf, startOfDay } from "../../../src/domain/shared/time.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import type { PartialRow } from "../../../src/parquet/read/read-rows.ts";
import { dayMayMatch } from "../../../src/trace/query/filter.ts";
import { type Order, type Position, placeBefore } from "../../../src/trace/query/order.ts";
import { unrouted } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { Hit, RunQuestion } from "../../protocol/query.ts";
import type { KnownDay } from "../../protocol/unrouted.ts";
import { QueryBudget, SEARCH_TOO_WIDE } from "./budget.ts";
import { rowsOfHits } from "./rows.ts";
import { type Asking, findInDays } from "./shards.ts";
import { type TraceTest, traceTest } from "./traces.ts";

/** Most matching runs whose traces are then tested. */
const CANDIDATES = 500;

/** Days searched at a time: one at first, twice as many after each search without hits. */
const MAX_DAYS_AT_ONCE = 16;
const MAX_SHARDS_AT_ONCE = 512;

/** Most projects named when days are listed. Beyond it the days of all projects are listed, and filtered here. */
const MAX_NAMED_PROJECTS = 1000;

/** A query of runs. */
export interface RunsQuery extends RunQuestion {
  /** The projects to search, by id. */
  readonly projects: ReadonlyMap<string, QueriedProject>;
  /** Conditions on the root of a run's trace, and on any run of it; null: none. */
  readonly traceFilter: Filter | null;
  readonly treeFilter: Filter | null;
  readonly columns: readonly RowColumn[];
}

export interface RunsPage {
  readonly runs: readonly QueriedRun[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Position | null;
}

export interface QueriedRun {
  readonly projectId: string;
  readonly row: PartialRow;
}

/**
 * A page of the matching runs, ordered by (start_time, id), with everything acknowledged before the call. A page can be
 * shorter than `limit` and still have a successor, where a bound on work or bytes ended it.
 */
export async function queryRuns(env: Env, tenantId: string, query: RunsQuery): Promise<Result<RunsPage, Refusal>> {
  const asking = { env, tenantId, budget: new QueryBudget() };
  const found = await findHits(asking, query);
  if (!found.ok) return found;
  const { hits, next } = found.value;
  const rows = await rowsOfHits(env, tenantId, query.projects, hits, query.columns);
  const runs = rows.flatMap((row, index) => {
    const hit = hits[index];
    return row === null || hit === undefined ? [] : [{ projectId: hit.projectId, row }];
  });
  return ok({ runs, next: rows.length < hits.length ? (hits[rows.length - 1] ?? null) : next });
}

interface FoundHits {
  readonly hits: readonly Hit[];
  readonly next: Position | null;
}

/** Searches the days in order until there are enough hits or the budget is used. */
async function findHits(asking: Asking, query: RunsQuery): Promise<Result<FoundHits, Refusal>> {
  const { order, limit } = query;
  const tests = testsOf(asking, query);
  const hits: Hit[] = [];
  let after = query.after;
  let daysAtOnce = 1;
  for (;;) {
    const days = await daysFrom(asking, query, after, daysAtOnce);
    const last = days.at(-1);
    if (last === undefined) return ok({ hits, next: null });
    const matchingDays = days.filter((day) => isKept(query, day) && dayMayMatch(query.filter, day.projectId, day.day));
    const wanted = tests.length === 0 ? limit - hits.length : CANDIDATES;
    const found = await findInDays(asking, matchingDays, questionOf(query, after, wanted));
    const matching = found === null ? null : await passing(tests, found.hits);
    if (found === null || matching === null) return hits.length > 0 ? ok({ hits, next: after }) : fail(SEARCH_TOO_WIDE);
    hits.push(...matching.slice(0, limit - hits.length));
    const full = hits[limit - 1];
    if (full !== undefined) return ok({ hits, next: full });
    daysAtOnce = found.hits.length > 0 ? 1 : Math.min(daysAtOnce * 2, MAX_DAYS_AT_ONCE);
    after = found.stoppedAt ?? behind(order, last.day);
    if (asking.budget.isEnough && hits.length > 0) return ok({ hits, next: after });
  }
}

/** The hits that pass all tests. null: the budget was spent before that was known. */
async function passing(tests: readonly TraceTest[], hits: readonly Hit[]): Promise<readonly Hit[] | null> {
  let left: readonly Hit[] | null = hits;
  for (const test of tests) left = left === null ? null : await test(left);
  return left;
}

/** Whether retention keeps the day; its shards may not have deleted it yet. */
function isKept({ projects }: RunsQuery, { projectId, day }: KnownDay): boolean {
  const project = projects.get(projectId);
  if (project === undefined) return false;
  const until = keptUntil(day, project.retentionDays);
  return until === null || until > Date.now();
}

const questionOf = (query: RunsQuery, after: Position | null, limit: number): RunQuestion => {
  const { filter, window, ids, traceIds, order } = query;
  return { filter, window, ids, traceIds, order, after, limit };
};

function testsOf(asking: Asking, { traceFilter, treeFilter, projects }: RunsQuery): readonly TraceTest[] {
  const shardsOf = (projectId: string) => projects.get(projectId)?.shards ?? 1;
  return [
    ...(traceFilter === null ? [] : [traceTest(asking, traceFilter, "root", shardsOf)]),
    ...(treeFilter === null ? [] : [traceTest(asking, treeFilter, "any", shardsOf)]),
  ];
}

/** The next days on which the projects have runs: at most `limit`, fewer if they have many shards. */
async function daysFrom(
  { env, tenantId }: Asking,
  { projects, window, order }: RunsQuery,
  after: Position | null,
  limit: number,
): Promise<readonly KnownDay[]> {
  const first = order === "asc" && after !== null ? Math.max(window.start, after.start) : window.start;
  // A position without an id comes before all runs that began then.
  const end =
    order === "desc" && after !== null ? Math.min(window.end, after.start + (after.id === "" ? 0 : 1)) : window.end;
  if (first >= end) return [];
  const days = await unrouted(env, tenantId).daysToQuery({
    projectIds: projects.size > MAX_NAMED_PROJECTS ? null : [...projects.keys()],
    firstDay: dayOf(first / 1000),
    lastDay: dayOf((end - 1) / 1000),
    order,
    limit,
  });
  let shards = 0;
  const taken: KnownDay[] = [];
  for (const day of days) {
    if (shards > MAX_SHARDS_AT_ONCE && day.day !== taken.at(-1)?.day) break;
    shards += day.shards;
    taken.push(day);
  }
  return taken;
}

/** The position after all runs of a day. */
const behind = (order: Order, day: string): Position =>
  placeBefore(order, order === "asc" ? (startOfDay(day) + DAY_MS) * 1000 : startOfDay(day) * 1000 - 1);
