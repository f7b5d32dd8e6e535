import type { QueriedProject } from "../../../src/domain/project/records.ts";
import { keptUntil } from "../../../src/domain/project/retention.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import { DAY_MS, dayOf, startOfDay } from "../../../src/domain/shared/time.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import type { PartialRow, RowColumn } from "../../../src/parquet/read/read-rows.ts";
import { dayMayMatch } from "../../../src/trace/query/filter.ts";
import { type Order, type Position, placeBefore } from "../../../src/trace/query/order.ts";
import { unrouted } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { Hit, RunQuestion } from "../../protocol/query.ts";
import type { KnownDay } from "../../protocol/shard.ts";
import { QueryBudget, TOO_MUCH_TO_LOOK_THROUGH } from "./budget.ts";
import { rowsOfHits } from "./rows.ts";
import { type Asking, findInDays } from "./shards.ts";
import { type TraceTest, traceTest } from "./traces.ts";

/** Runs that fit on their own, of which only those are shown whose trace fits, too. */
const CANDIDATES = 500;

/** Days looked at together: one at first, then twice as many each time nothing was found. */
const MAX_DAYS_TOGETHER = 16;
const MAX_SHARDS_TOGETHER = 512;

/** Projects named when days are asked for; of more, the days of all projects come, and others are left out here. */
const PROJECTS_NAMED = 1000;

/** What a request asks for. */
export interface RunsQuery extends RunQuestion {
  /** The projects of the tenant that are asked, by id. */
  readonly projects: ReadonlyMap<string, QueriedProject>;
  /** On the root of a run's trace, and on some run of it; null: none. */
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
 * A page of the runs that fit, ordered by (start_time, id). It holds what was acknowledged before it was asked for. A
 * page that is not full has a successor where a bound on work or on bytes ended it.
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

/** Looks through the days in their order until there are enough hits, or enough was done. */
async function findHits(asking: Asking, query: RunsQuery): Promise<Result<FoundHits, Refusal>> {
  const { order, limit } = query;
  const tests = testsOf(asking, query);
  const hits: Hit[] = [];
  let after = query.after;
  let together = 1;
  for (;;) {
    const days = await daysFrom(asking, query, after, together);
    const last = days.at(-1);
    if (last === undefined) return ok({ hits, next: null });
    const asked = days.filter((day) => isKept(query, day) && dayMayMatch(query.filter, day.projectId, day.day));
    const wanted = tests.length === 0 ? limit - hits.length : CANDIDATES;
    const found = await findInDays(asking, asked, questionOf(query, after, wanted));
    const fitting = found === null ? null : await passing(tests, found.hits);
    if (found === null || fitting === null)
      return hits.length > 0 ? ok({ hits, next: after }) : fail(TOO_MUCH_TO_LOOK_THROUGH);
    hits.push(...fitting.slice(0, limit - hits.length));
    const full = hits[limit - 1];
    if (full !== undefined) return ok({ hits, next: full });
    together = found.hits.length > 0 ? 1 : Math.min(together * 2, MAX_DAYS_TOGETHER);
    after = found.stoppedAt ?? behind(order, last.day);
    if (asking.budget.isEnough && hits.length > 0) return ok({ hits, next: after });
  }
}

/** The hits that pass all tests. Null: the budget is spent before that is known. */
async function passing(tests: readonly TraceTest[], hits: readonly Hit[]): Promise<readonly Hit[] | null> {
  let left: readonly Hit[] | null = hits;
  for (const test of tests) left = left === null ? null : await test(left);
  return left;
}

/** A day that is over has no runs any more, also before its shards have noticed. */
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

/** The next days on which the projects have runs: so many, or as many as have not too many shards. */
async function daysFrom(
  { env, tenantId }: Asking,
  { projects, window, order }: RunsQuery,
  after: Position | null,
  limit: number,
): Promise<readonly KnownDay[]> {
  const first = order === "asc" && after !== null ? Math.max(window.start, after.start) : window.start;
  // A place without an id is before all runs that began then.
  const end =
    order === "desc" && after !== null ? Math.min(window.end, after.start + (after.id === "" ? 0 : 1)) : window.end;
  if (first >= end) return [];
  const days = await unrouted(env, tenantId).daysToQuery({
    projectIds: projects.size > PROJECTS_NAMED ? null : [...projects.keys()],
    firstDay: dayOf(first / 1000),
    lastDay: dayOf((end - 1) / 1000),
    order,
    limit,
  });
  let shards = 0;
  const taken: KnownDay[] = [];
  for (const day of days) {
    if (shards > MAX_SHARDS_TOGETHER && day.day !== taken.at(-1)?.day) break;
    shards += day.shards;
    taken.push(day);
  }
  return taken;
}

/** The place behind all runs of a day. */
const behind = (order: Order, day: string): Position =>
  placeBefore(order, order === "asc" ? (startOfDay(day) + DAY_MS) * 1000 : startOfDay(day) * 1000 - 1);
