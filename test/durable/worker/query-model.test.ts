import { evictDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type QueriedRun, queryRuns, type RunsQuery } from "../../../durable/worker/query/query.ts";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { isoFromMs, startOfDay, windowOfDay } from "../../../src/domain/shared/time.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import { parseFilter } from "../../../src/filter/parse/index.ts";
import type { Position } from "../../../src/trace/query/order.ts";
import { rounds } from "../../support/rounds.ts";
import {
  bytes,
  DAY,
  env,
  feedback,
  ingest,
  newId,
  newProject,
  patch,
  post,
  rowsIn,
  shard,
  shardStub,
  snapshotOf,
  type TestProject,
} from "../traces.ts";

/**
 * For any runs and any state of the shards: a query returns, page by page, what a loop over a list of all
 * exported rows returns.
 */

const DAYS = [DAY, "2030-01-03"] as const;

/** A row with its project, as the loop sees it. */
interface Known extends SegmentRow {
  readonly projectId: string;
}

type Condition = readonly [text: string, fits: (row: Known) => boolean];

const CONDITIONS: readonly Condition[] = [
  ['eq(name,"a")', (row) => row.name === "a"],
  ['neq(name,"b")', (row) => row.name !== null && row.name !== "b"],
  ["neq(error,null)", (row) => row.error !== null],
  ["eq(is_root,true)", (row) => row.parent_run_id === null],
  ['gte(start_time,"2030-01-03")', (row) => row.start_time >= startOfDay("2030-01-03") * 1000],
  ['eq(input_key,"x")', (row) => row.inputs !== null],
  ['eq(feedback_key,"good")', (row) => row._feedback !== null],
  ['not(eq(status,"pending"))', (row) => row.status !== "pending"],
  ['eq(name,"unknown")', () => false],
];

/** Half of the queries have no trace filter: those with one take another path. */
const condition = fc.option(fc.constantFrom(...CONDITIONS), { freq: 2 });

const aRun = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  /** Few instants, so that several runs start at one. */
  tick: fc.nat({ max: 5 }),
  day: fc.nat({ max: 1 }),
  project: fc.nat({ max: 1 }),
  failed: fc.boolean(),
  hasInputs: fc.boolean(),
  /** Whether it is a child of the run before it. */
  isChild: fc.boolean(),
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("send" as const), run: aRun }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("patch" as const, "feedback" as const), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("seal" as const, "evict" as const) }) },
);

const question = fc.record({
  filter: condition,
  traceFilter: condition,
  treeFilter: condition,
  order: fc.constantFrom("asc" as const, "desc" as const),
  limit: fc.integer({ min: 1, max: 6 }),
  fromTick: fc.nat({ max: 5 }),
  isOneTrace: fc.boolean(),
  isSomeIds: fc.boolean(),
});

const micros = (day: number, tick: number): number => (startOfDay(DAYS[day] ?? DAY) + 3_600_000 * tick) * 1000;

const segmentOf = (start: number, id: string): string =>
  `${isoFromMs(start / 1000)
    .replaceAll(/[-:]/g, "")
    .replace(".", "")
    .replace("Z", "000Z")}${id}`;

const filterOf = (one: Condition | null): Filter | null => {
  if (one === null) return null;
  const parsed = parseFilter(one[0]);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
};

const EVERY: Filter = { kind: "and", operands: [] };

it("a query returns what a loop over all rows returns", { tags: "search" }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(question, { minLength: 3, maxLength: 6 }),
      fc.boolean(),
      async (steps, questions, isSealed) => {
        const first = newProject(2);
        const second = { tenantId: first.tenantId, project: { ...newProject(1).project, tenantId: first.tenantId } };
        const projects = [first, second] as const;
        const sent: {
          readonly id: string;
          readonly project: number;
          readonly start: number;
          readonly order: string;
          readonly trace: string;
        }[] = [];
        const seal = async () => {
          for (const { tenantId, project } of projects)
            for (const day of DAYS) {
              const window = windowOfDay(day);
              const source = { tenantId, projectId: project.id, day, shards: project.shards };
              await snapshotOf(source, window);
            }
        };
        for (const one of steps) {
          const known = "of" in one ? sent[one.of % sent.length] : undefined;
          if (one.kind === "send") {
            const { run } = one;
            const id = newId();
            const start = micros(run.day, run.tick);
            const before = sent.at(-1);
            const isChild =
              run.isChild && before !== undefined && before.project === run.project && before.start <= start;
            const own = segmentOf(start, id);
            const made = {
              id,
              project: run.project,
              start,
              trace: isChild ? before.trace : id,
              order: isChild ? `${before.order}.${own}` : own,
            };
            sent.push(made);
            const fields = {
              start_time: start,
              name: run.name,
              run_type: "chain",
              trace_id: made.trace,
              dotted_order: made.order,
              parent_run_id: isChild ? before.id : null,
              error: run.failed ? bytes("failed") : null,
              inputs: run.hasInputs ? bytes('{"x":1}') : null,
            };
            await ingest(projects[run.project === 0 ? 0 : 1], post(id, fields));
          } else if (one.kind === "patch" && known !== undefined) {
            await ingest(first, patch(known.id, { name: "a", end_time: known.start + 5 }));
          } else if (one.kind === "feedback" && known !== undefined) {
            await ingest(first, feedback(known.id, { key: "good", score: 1 }));
          } else if (one.kind === "seal") await seal();
          else if (one.kind === "evict") {
            await shard(first).has([]); // only an actor in memory can be evicted
            await evictDurableObject(shardStub(first));
          }
        }

        if (isSealed) await seal();
        const answers: (readonly string[])[] = [];
        for (const one of questions)
          answers.push(await pagedIds(first.tenantId, projects, one, sent[0]?.trace ?? "", ids(sent)));

        const rows: Known[] = [];
        for (const { tenantId, project } of projects)
          for (const day of DAYS) {
            const window = windowOfDay(day);
            const source = { tenantId, projectId: project.id, day, shards: project.shards };
            const exported = await rowsIn(await snapshotOf(source, window));
            rows.push(...exported.map((row) => ({ ...row, projectId: project.id })));
          }
        const expected = questions.map((one) => naive(rows, one, sent[0]?.trace ?? "", ids(sent)));
        expect(answers).toEqual(expected);
      },
    ),
    { numRuns: rounds(5, 60) },
  );
});

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const ids = (sent: readonly { readonly id: string }[]): readonly string[] =>
  sent.map(({ id }) => id).filter((_, index) => index % 3 === 0);

async function pagedIds(
  tenantId: string,
  projects: readonly TestProject[],
  one: Question,
  trace: string,
  some: readonly string[],
): Promise<readonly string[]> {
  const query: Omit<RunsQuery, "after"> = {
    projects: new Map(projects.map(({ project }) => [project.id, project])),
    filter: filterOf(one.filter) ?? EVERY,
    traceFilter: filterOf(one.traceFilter),
    treeFilter: filterOf(one.treeFilter),
    window: { start: micros(0, one.fromTick), end: micros(1, 24) },
    ids: one.isSomeIds ? some : null,
    traceIds: one.isOneTrace ? [trace] : null,
    order: one.order,
    limit: one.limit,
    columns: ["id", "name"],
  };
  const found: QueriedRun[] = [];
  let after: Position | null = null;
  do {
    const page: Awaited<ReturnType<typeof queryRuns>> = await queryRuns(env, tenantId, { ...query, after });
    if (!page.ok) throw new Error(page.failure.reason);
    expect(page.value.runs.length).toBeLessThanOrEqual(one.limit);
    found.push(...page.value.runs);
    after = page.value.next;
  } while (after !== null);
  return found.map(({ row }) => `${row.id} ${row.name}`);
}

function naive(rows: readonly Known[], one: Question, trace: string, some: readonly string[]): readonly string[] {
  const fits = (row: Known): boolean => {
    if (row.start_time < micros(0, one.fromTick)) return false;
    if (one.isSomeIds && !some.includes(row.id)) return false;
    if (one.isOneTrace && row.trace_id !== trace) return false;
    const together = rows.filter((other) => other.trace_id === row.trace_id && other.projectId === row.projectId);
    const root = together.find(({ id }) => id === row.trace_id);
    const rootFits = one.traceFilter === null || (root !== undefined && one.traceFilter[1](root));
    return (one.filter?.[1](row) ?? true) && rootFits && (one.treeFilter === null || together.some(one.treeFilter[1]));
  };
  const sorted = rows.filter(fits).sort((a, b) => a.start_time - b.start_time || (a.id < b.id ? -1 : 1));
  return (one.order === "asc" ? sorted : sorted.reverse()).map(({ id, name }) => `${id} ${name}`);
}
