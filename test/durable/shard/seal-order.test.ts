import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { exported, ingest, NOON, newId, newProject, patch, post, shard, shardStub, snapshot } from "../traces.ts";

/** As many changes as a seal reads at a time. */
const PAGE = 20_000;

it("a later patch wins over an earlier one even if the seal reads them in different batches", async () => {
  const project = newProject();
  const runs = { fresh: newId(), sealed: newId(), withoutStart: newId() };
  const patched = (name: string, end_time: number | null) =>
    [runs.fresh, runs.sealed].map((id) => patch(id, { project: { name: "demo" }, start_time: NOON, name, end_time }));
  await ingest(project, post(runs.sealed));
  await snapshot(project);

  await ingest(project, post(runs.fresh), ...patched("early", null));
  await shard(project).ingest([patch(runs.withoutStart, { name: "early" })]);
  const filler = Array.from({ length: PAGE }, () => post(newId()));
  await ingest(project, ...filler);
  await ingest(project, ...patched("late", NOON + 5));
  await shard(project).ingest([
    patch(runs.withoutStart, { name: "late", end_time: NOON + 5 }),
    post(runs.withoutStart),
  ]);

  // An old run makes the seal due, which skips young runs that have not ended.
  await runInDurableObject(shardStub(project), (_, { storage }) => {
    storage.sql.exec("UPDATE change SET at = 0 WHERE run = ?", filler[0]?.id);
  });
  await evictDurableObject(shardStub(project));
  const hot = await runInDurableObject(shardStub(project), async (instance, { storage }) => {
    await instance.alarm();
    return storage.sql.exec("SELECT count(*) AS changes FROM change").one();
  });
  expect(hot).toEqual({ changes: PAGE - 1 });

  const rows = new Map((await exported(project)).map((row) => [row.id, row.name]));
  expect(Object.values(runs).map((id) => rows.get(id))).toEqual(["late", "late", "late"]);
  expect(rows.size).toBe(PAGE + 3);
});
