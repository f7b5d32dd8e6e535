import { expect, it } from "vitest";
import { DAY_MS, isoFromMs, startOfDay } from "../../../src/domain/shared/time.ts";
import { snapshotOf } from "../../durable/traces.ts";
import { call, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

const FIRST_DAY = "2024-03-05";
const RUNS = 3000;

const run = (session_id: string, n: number, change: object = {}) => ({
  id: `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`,
  session_id,
  name: "paged",
  run_type: "chain",
  // Three runs start at each instant, on two different days.
  start_time: isoFromMs(startOfDay(FIRST_DAY) + DAY_MS / 2 + Math.floor(n / 3) * 60_000),
  inputs: { n },
  ...change,
});

const send = async ({ headers }: TestWorkspace, runs: readonly object[]): Promise<void> => {
  const answer = await call("POST", "/runs/batch", { headers, body: { post: runs } });
  if (answer.status !== 202) throw new Error(answer.text);
};

const seal = async ({ id }: TestWorkspace, projectId: string, day: string): Promise<void> => {
  const window = { start: startOfDay(day), end: startOfDay(day) + DAY_MS };
  await snapshotOf({ tenantId: id, projectId, day, shards: 1 }, window);
};

it.each(["asc", "desc"])(
  "pages in order %s lose and duplicate nothing while runs arrive, change and are sealed",
  async (order) => {
    const workspace = await newWorkspace();
    const { headers } = workspace;
    const session = await newProject(workspace);
    const there = Array.from({ length: RUNS }, (_, n) => run(session, n));
    for (let at = 0; at < RUNS; at += 500) {
      await send(workspace, there.slice(at, at + 500));
      if (at % 1000 === 0) await seal(workspace, session, FIRST_DAY);
    }
    const found: { id: string; start_time: string }[] = [];
    let cursor: string | null = null;
    for (let page = 0; cursor !== null || page === 0; page++) {
      const answer = await call("POST", "/runs/query", { headers, body: { session: [session], order, cursor } });
      expect(answer.body.runs.length).toBeLessThanOrEqual(100);
      found.push(...answer.body.runs);
      cursor = answer.body.cursors.next;
      // Among the existing runs, before and after the cursor.
      const fresh = Array.from({ length: 30 }, (_, n) => run(session, n * 100, { id: crypto.randomUUID() }));
      await send(workspace, [...fresh, run(session, (page * 97) % RUNS, { name: "again" })]);
      if (page % 7 === 3) await seal(workspace, session, FIRST_DAY);
      if (page % 7 === 5) await seal(workspace, session, "2024-03-06");
    }
    const asked = new Set(there.map(({ id }) => id));
    const old = found.map(({ id }) => id).filter((id) => asked.has(id));
    expect([old.length, new Set(old).size]).toEqual([RUNS, RUNS]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    const sorted = found.map(({ start_time, id }) => `${start_time} ${id}`).sort();
    expect(found.map(({ start_time, id }) => `${start_time} ${id}`)).toEqual(
      order === "asc" ? sorted : sorted.reverse(),
    );
  },
);

it.each([
  { field: "inputs", value: { long: "x".repeat(3 * 1024 * 1024) }, pages: [3, 3, 3] },
  { field: "name", value: "x".repeat(1_000_000), pages: [6, 3] },
  { field: "tags", value: ["x".repeat(1_000_000)], pages: [6, 3] },
])(
  "a page ends early when the $field of its runs are long, and the next page continues there",
  async ({ field, value, pages }) => {
    const workspace = await newWorkspace();
    const session = await newProject(workspace);
    for (let n = 0; n < 9; n++) await send(workspace, [run(session, n, { [field]: value })]);
    const counts: number[] = [];
    let cursor: string | null = null;
    do {
      const body: object = { session: [session], cursor, select: [field] };
      const answer = await call("POST", "/runs/query", { headers: workspace.headers, body });
      counts.push(answer.body.runs.length);
      cursor = answer.body.cursors.next;
    } while (cursor !== null);
    expect(counts.filter((count) => count > 0)).toEqual(pages);
  },
);
