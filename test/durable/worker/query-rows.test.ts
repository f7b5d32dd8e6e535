import { expect, it } from "vitest";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Hit, QueriedRows, RowsQuestion } from "../../../durable/protocol/query.ts";
import { rowsOfHits } from "../../../durable/worker/query/rows.ts";
import { NOON, newProject } from "../traces.ts";

const MIB = 1024 * 1024;
const { project } = newProject();
const projects = new Map([[project.id, project]]);

/** Runs of these lengths, one on each of as many days. */
function runsOf(lengths: readonly number[]) {
  const days = lengths.map((_, at) => new Date(NOON / 1000 + at * 86_400_000).toISOString().slice(0, 10));
  const hits = days.map((day): Hit => {
    const id = crypto.randomUUID();
    return { start: NOON, id, projectId: project.id, day, trace: { id, days: [day] } };
  });
  const lengthOf = new Map(hits.map(({ id }, at) => [id, lengths[at] ?? 0]));
  let questions = 0;
  let givenBytes = 0;
  const shard = {
    async readRuns({ ids: [id = ""], maxBytes }: RowsQuestion): Promise<QueriedRows> {
      questions += 1;
      const length = lengthOf.get(id) ?? 0;
      if (length > maxBytes) return [];
      givenBytes += length;
      return [{ inputs: new Uint8Array(length) }];
    },
  };
  const env = { TRACE_SHARD: { getByName: () => shard } } as unknown as Env; // nothing else is used
  return {
    page: async (from: number) => {
      const rows = await rowsOfHits(env, project.tenantId, projects, hits.slice(from), ["inputs"]);
      return rows.map((row) => row?.inputs?.length);
    },
    cost: () => ({ questions, givenBytes }),
  };
}

const repeated = (length: number, times: number): readonly number[] => Array.from({ length: times }, () => length);

it("short rows of many days are read once", async () => {
  const { page, cost } = runsOf(repeated(1000, 100));
  expect(await page(0)).toHaveLength(100);
  expect(cost().questions).toBe(100);
});

it.each([
  ["one length", repeated(3 * MIB, 10)],
  ["a length a little above an equal share", repeated(MIB / 4, 100)],
  ["very different lengths", [...repeated(1000, 30), 24 * MIB, ...repeated(5 * MIB, 3), 24 * MIB, 24 * MIB, 7]],
])("a page of long rows on many days, of %s, has 12 MiB or a single row, and skips none", async (_, lengths) => {
  const { page, cost } = runsOf(lengths);
  const found: (number | undefined)[] = [];
  let pages = 0;
  for (; found.length < lengths.length; pages += 1) {
    const before = cost();
    const rows = await page(found.length);
    const bytes = rows.reduce<number>((sum, length) => sum + (length ?? 0), 0);
    expect(rows.length === 1 || bytes <= 12 * MIB).toBe(true);
    expect(cost().givenBytes - before.givenBytes).toBeLessThanOrEqual((12 + 24) * MIB);
    expect(cost().questions - before.questions).toBeLessThanOrEqual(4 * lengths.length);
    found.push(...rows);
  }
  expect(found).toEqual(lengths);
  expect(pages).toBeLessThan(10);
});
