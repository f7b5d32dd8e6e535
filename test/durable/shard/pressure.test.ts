import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { editFeedback, findFeedback } from "../../../durable/worker/feedback.ts";
import { queryRuns } from "../../../durable/worker/query/query.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { queryOf } from "../../../src/http/runs/query-schemas.ts";
import {
  bytes,
  DAY,
  env,
  exported,
  feedback,
  ingest,
  newId,
  newProject,
  patch,
  post,
  ringMuchLater,
  shard,
  shardStub,
  snapshot,
  type TestProject,
  text,
  unroutedOf,
  withEnv,
} from "../traces.ts";

const inputs = bytes(`{"a":"${"x".repeat(2000)}"}`);
const AWAY = { put: () => Promise.reject(new Error("the bucket is away")) } as unknown as R2Bucket;
const crowded = (project: TestProject): Promise<void> => withEnv(project, () => ({ MAX_HOT_BYTES: 4000 }));
const idsIn = async (project: TestProject): Promise<string[]> => (await exported(project)).map(({ id }) => id).sort();
const namesFound = async ({ tenantId, project }: TestProject) => {
  const query = { ...queryOf({}), columns: ["name"] as const, projects: new Map([[project.id, project]]) };
  const found = await queryRuns(env, tenantId, query);
  return found.ok ? found.value.runs.map(({ row }) => row.name).sort() : found;
};

/** A project whose shard exists and has a small capacity. */
async function crowdedProject(): Promise<TestProject> {
  const project = newProject();
  await snapshot(project);
  await crowded(project);
  return project;
}

describe("while the unsealed bytes exceed the limit", () => {
  it("a request is refused as a whole, and accepted once when it is sent again after the seal", async () => {
    const project = await crowdedProject();
    const sent = Array.from({ length: 3 }, () => post(newId(), { inputs }));
    const more = [post(newId()), post(newId())];
    await withEnv(project, () => ({ SEGMENTS: AWAY }));
    expect((await ingest(project, ...sent)).capacity).toBeNull();
    expect(await ingest(project, ...more)).toEqual({
      accepted: 0,
      refusals: [],
      capacity: { reason: "capacity", message: expect.any(String), retryAfterSeconds: 10 },
    });
    await withEnv(project, () => ({ SEGMENTS: env.SEGMENTS }));
    await runDurableObjectAlarm(shardStub(project));
    expect((await ingest(project, ...more)).accepted).toBe(2);
    expect(await idsIn(project)).toEqual([...sent, ...more].map(({ id }) => id).sort());
  });

  it("runs that have not ended are sealed too: a client cannot block a shard with unfinished runs", async () => {
    const project = await crowdedProject();
    for (let round = 0; round < 5; round += 1) {
      await ingest(project, post(newId(), { inputs }), post(newId(), { inputs }));
      await ringMuchLater(project);
    }
    expect((await ingest(project, post(newId()))).capacity).toBeNull();
    expect(await exported(project)).toHaveLength(11);
  });

  it("a change without its run is acknowledged, stored, and delivered when there is capacity", async () => {
    const project = await crowdedProject();
    const id = newId();
    await withEnv(project, () => ({ SEGMENTS: AWAY }));
    await ingest(project, post(id, { inputs }), post(newId(), { inputs }));
    const outcome = await ingest(project, feedback(id, { key: "liked", score: 1 }));
    expect(outcome).toMatchObject({ accepted: 1, capacity: null });
    await withEnv(project, () => ({ SEGMENTS: env.SEGMENTS }));
    await runDurableObjectAlarm(shardStub(project));
    await unroutedOf(project).flush({ projectId: project.project.id, day: "2030-01-02", shards: 1 });
    const row = (await exported(project)).find((one) => one.id === id);
    expect(JSON.parse(text(row?.feedback_stats))).toMatchObject({ liked: { n: 1 } });
  });

  it("queries and edits of feedback are answered, and show waiting changes once there is capacity", async () => {
    const project = await crowdedProject();
    const id = newId();
    const given = feedback(id, { key: "liked", score: 1 });
    await withEnv(project, () => ({ SEGMENTS: AWAY }));
    await ingest(project, post(id), given);
    await ingest(project, post(newId(), { inputs }), post(newId(), { inputs }));
    expect((await ingest(project, patch(id, { name: "patched" }))).capacity).toBeNull();
    expect(await namesFound(project)).toEqual(["posted", "posted", "posted"]);
    const edit = { id: given.feedback?.id ?? "", json: '{"score":0}', edit: "patch" } as const;
    expect(await editFeedback(env, project.tenantId, edit)).toEqual(ok(true));
    expect((await findFeedback(env, project.tenantId, edit.id))?.json).toContain('"score":0');
    const day = { projectId: project.project.id, day: DAY, shards: 1 };
    await expect(unroutedOf(project).flush(day)).rejects.toThrow("faster than they are sealed");
    await withEnv(project, () => ({ SEGMENTS: env.SEGMENTS }));
    await runDurableObjectAlarm(shardStub(project));
    expect(await namesFound(project)).toEqual(["patched", "posted", "posted"]);
    const row = (await exported(project)).find((one) => one.id === id);
    expect(JSON.parse(text(row?.feedback_stats))).toMatchObject({ liked: { avg: 0 } });
  });
});

it("a storage that is full refuses the request, keeps none of it, and accepts it later", async () => {
  const project = newProject();
  await ingest(project, post(newId()));
  const sent = [post(newId()), post(newId())];
  const answer = await runInDurableObject(shardStub(project), async (instance, { storage }) => {
    storage.sql.exec(
      "CREATE TRIGGER full AFTER INSERT ON change WHEN (SELECT count(*) FROM change) > 2 BEGIN SELECT RAISE(ABORT, 'SQLITE_FULL'); END",
    );
    const refused = await instance.ingest(sent);
    storage.sql.exec("DROP TRIGGER full");
    return refused;
  });
  expect(answer).toMatchObject({ ok: false, failure: { reason: "unavailable", retryAfterSeconds: 10 } });
  expect(await exported(project)).toHaveLength(1);
  expect((await shard(project).ingest(sent)).ok).toBe(true);
  expect(await exported(project)).toHaveLength(3);
});
