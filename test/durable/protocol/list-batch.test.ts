import { expect, it } from "vitest";
import { bulkExport, workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import {
  allBatches,
  BATCH_CHARACTERS,
  batchOf,
  FIRST_BATCH,
  type ListBatch,
  type ListBatchQuery,
  listedIds,
} from "../../../durable/protocol/list-batch.ts";
import { runsOfSpawned } from "../../../durable/workspace/schedule-runs.ts";
import { exportRunIdOf } from "../../../src/domain/export/run-ids.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import { definitionOf, newWorkspace, type TestWorkspace, untilEnded } from "../exporting.ts";
import { env, WHOLE_DAY } from "../traces.ts";

const LONG = "x".repeat(BATCH_CHARACTERS / 4);
const IDS = Array.from({ length: 100 }, (_, n) => `${n}`);
const EVERYTHING = { offset: 0, limit: null };

/** Ids of a page of long items, and the number of batches it took; no batch is much longer than the limit. */
const collected = async (
  page: { readonly offset: number; readonly limit: number | null },
  ask: (query: ListBatchQuery) => Promise<ListBatch<{ readonly id: string }>>,
) => {
  let parts = 0;
  const all = await allBatches(page, async (query) => {
    parts += 1;
    const part = await ask(query);
    expect(JSON.stringify(part.items).length).toBeLessThan(BATCH_CHARACTERS + 2 * LONG.length);
    return ok(part);
  });
  return { ids: all.ok ? all.value.map(({ id }) => id) : [], parts };
};

const read = async (id: string) => ({ id, text: LONG });

it.each([
  [EVERYTHING, IDS, 25],
  [{ offset: 10, limit: 50 }, IDS.slice(10, 60), 13],
  [{ offset: 99, limit: 5 }, IDS.slice(99), 1],
  [{ offset: 100, limit: null }, [], 1],
])("a page of a long list arrives whole and in order, batch by batch: %o", async (page, ids, parts) => {
  expect(await collected(page, (query) => batchOf(listedIds(IDS), query, read))).toEqual({ ids, parts });
});

it("a list that grows at its beginning and loses items between batches returns each other item once", async () => {
  const ids = [...IDS];
  const gone = new Set<string>();
  const listed = await collected(EVERYTHING, async (query) => {
    const part = await batchOf(listedIds(ids), query, async (id) => (gone.has(id) ? null : read(id)));
    if (query.after === null) ids.unshift("new");
    for (const id of ["2", "50"]) gone.add(id);
    return part;
  });
  expect(listed.ids).toEqual(IDS.filter((id) => id !== "50"));
});

it.each([EVERYTHING, { offset: 3, limit: 9 }, { offset: 7, limit: null }])(
  "the runs of all exports of a schedule arrive completely and in order, and only those of the page are read: %o",
  async (page) => {
    const asked: string[] = [];
    const run = (id: string) => {
      asked.push(id);
      return read(id);
    };
    const actors = { EXPORT: { getByName: () => ({ run }) } } as unknown as Env; // the only kind that is called
    const { start } = WHOLE_DAY;
    const home = { tenantId: "", destinationId: "", prefix: "", project: { id: "" } } as TestWorkspace;
    const spawned = [0, 1, 2].map(() => definitionOf(home, { start, end: start + 7 * DAY_MICROS }));
    const all = spawned.flatMap(({ id }) => IDS.slice(0, 7).map((_, ordinal) => exportRunIdOf(id, ordinal)));
    const expected = all.slice(page.offset).slice(0, page.limit ?? all.length);
    const { ids, parts } = await collected(page, (query) => runsOfSpawned(actors, spawned, query));
    expect(ids).toEqual(expected);
    expect(new Set(asked)).toEqual(new Set(expected));
    expect(parts).toBeGreaterThan(1);
  },
);

it("the runs of an export continue after the given run id", async () => {
  const home = await newWorkspace();
  const { start } = WHOLE_DAY;
  const wanted = definitionOf(home, { start: start - 3 * DAY_MICROS, end: start });
  const created = await workspace(env, home.tenantId).createExport(wanted);
  expect(created.ok).toBe(true);
  await untilEnded(home.tenantId, wanted.id);
  const { items: all } = await bulkExport(env, wanted.id).runs(FIRST_BATCH);
  expect(all).toHaveLength(3);
  const behind = await bulkExport(env, wanted.id).runs({ ...FIRST_BATCH, after: all[0]?.id ?? "" });
  expect(behind.items.map(({ id }) => id)).toEqual(all.slice(1).map(({ id }) => id));
});
