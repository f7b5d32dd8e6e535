import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { workspace } from "../../../durable/protocol/actors.ts";
import { ANY_FEEDBACK } from "../../../durable/worker/feedback.ts";
import { DAY_MS, startOfDay } from "../../../src/domain/shared/time.ts";
import { NO_RUNS } from "../../../src/trace/run/statistics.ts";
import {
  env,
  exported,
  feedback,
  ingest,
  keysOf,
  NOON,
  newId,
  newProject,
  post,
  shard,
  shardStub,
  snapshot,
  type TestProject,
  unroutedOf,
  WHOLE_DAY,
} from "../traces.ts";

/** How long an object is kept for exports that are reading it. */
const RETIRED_MS = 73 * 3_600_000;

/** A project of a real workspace, with a retention in days. */
async function projectKeeping(retentionDays: number | null): Promise<TestProject> {
  const { tenantId } = newProject();
  const home = workspace(env, tenantId);
  await home.create({ id: tenantId, name: "acme", plan: "plus" });
  const asked = { id: null, name: "demo", upsert: false, description: null, extra: null, retentionDays };
  const created = await home.createProject(asked);
  if (!created.ok) throw new Error(created.failure.reason);
  return { tenantId, project: created.value };
}

/** Moves the shard's clock past the retention, or just before it. */
const ringAt = (project: TestProject, instant: number): Promise<readonly string[]> =>
  runInDurableObject(shardStub(project), async (instance, { storage }) => {
    const real = Date.now;
    try {
      Date.now = () => instant;
      await instance.alarm();
    } finally {
      Date.now = real;
    }
    return storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_cf"));
  });

const rowsAt = (project: TestProject, instant: number): Promise<number> =>
  runInDurableObject(shardStub(project), async (instance) => {
    const real = Date.now;
    try {
      Date.now = () => instant;
      const { segments } = await instance.snapshot(WHOLE_DAY, 0, null);
      return segments.reduce((sum, { rows }) => sum + rows, 0);
    } finally {
      Date.now = real;
    }
  });

const END = startOfDay("2030-01-02") + DAY_MS;

it("runs are kept for the retention of their project, counted from the end of their day", async () => {
  const project = await projectKeeping(30);
  await ingest(project, post(newId()));
  await snapshot(project);
  await ingest(project, post(newId()));
  const until = END + 30 * DAY_MS;
  expect(await rowsAt(project, until - 1)).toBe(2);
  expect(await rowsAt(project, until)).toBe(0);
  expect(await exported(project)).toHaveLength(2);
});

it("expired data is deleted by the shard's own alarm: objects after the exports that read them, then the rest", async () => {
  const project = await projectKeeping(30);
  await ingest(project, post(newId()));
  const pinned = await snapshot(project);
  await shard(project).snapshot(WHOLE_DAY, 0, { scheduleId: newId(), exportId: newId(), kind: "main" });
  await ingest(project, post(newId()));
  const until = END + 30 * DAY_MS;
  await ringAt(project, until - 1);
  expect((await keysOf(project)).length).toBeGreaterThan(0);
  await ringAt(project, until);
  expect(await exported(project)).toEqual([]);
  expect(await keysOf(project)).toContain(pinned.segments[0]?.key);
  await ringAt(project, until + RETIRED_MS + 1);
  expect(await keysOf(project)).toEqual([]);
  expect(await ringAt(project, until + RETIRED_MS + 2)).toEqual([]);
  expect(await runInDurableObject(shardStub(project), (_, { storage }) => storage.getAlarm())).toBeNull();
});

it("expired runs are no longer counted", async () => {
  const project = await projectKeeping(30);
  await ingest(project, post(newId()));
  await snapshot(project);
  await ingest(project, post(newId()));
  expect(await shard(project).statistics()).toMatchObject({ runs: 2 });
  await ringAt(project, END + 30 * DAY_MS);
  expect(await shard(project).statistics()).toEqual(NO_RUNS);
});

it("changes for an expired day are accepted, never exported, and deleted too", async () => {
  const project = await projectKeeping(30);
  const late = END + 31 * DAY_MS;
  await ingest(project, post(newId()));
  await ringAt(project, late);
  expect(await ringAt(project, late + RETIRED_MS + 1)).toEqual([]);
  await ingest(project, post(newId()));
  expect(await rowsAt(project, late + 2)).toBe(0);
  await ringAt(project, late + 3 + DAY_MS);
  expect(await ringAt(project, late + 3 + DAY_MS + RETIRED_MS + 1)).toEqual([]);
  expect(await keysOf(project)).toEqual([]);
});

/** When the shard will next ask for the retention of its day. */
const nextRetentionCheck = (project: TestProject): Promise<number | null> =>
  runInDurableObject(
    shardStub(project),
    (_, { storage }) => storage.sql.exec<{ at: number | null }>("SELECT at FROM retention_check").one().at,
  );

const keep = async ({ tenantId, project }: TestProject, retentionDays: number | null) => {
  const change = { id: project.id, name: null, description: null, extra: null, endTime: null };
  expect(await workspace(env, tenantId).changeProject({ ...change, retentionDays })).toMatchObject({ ok: true });
};

it.each([null, 365])(
  "a retention shortened from %s days expires idle days, without any export of them",
  async (days) => {
    const project = await projectKeeping(days);
    await ingest(project, post(newId()));
    await snapshot(project);
    await ringAt(project, END);
    expect(await nextRetentionCheck(project)).toBe(days === null ? null : END + days * DAY_MS);
    await keep(project, 30);
    await expect.poll(() => nextRetentionCheck(project)).toBe(END + 30 * DAY_MS);
    await ringAt(project, END + 30 * DAY_MS);
    await ringAt(project, END + 30 * DAY_MS + RETIRED_MS + 1);
    expect(await keysOf(project)).toEqual([]);
  },
);

it("feedback on expired runs is no longer listed, feedback on other runs is", async () => {
  const project = await projectKeeping(30);
  const [gone, kept] = [newId(), newId()];
  await ingest(project, post(gone), post(kept, { start_time: NOON + DAY_MS * 1000 }));
  await ingest(project, feedback(gone, { key: "k", score: 1 }), feedback(kept, { key: "k", score: 1 }));
  const given = async () =>
    (await unroutedOf(project).listFeedback({ ...ANY_FEEDBACK, offset: 0, limit: 9 })).located
      .map(({ runId }) => runId)
      .sort();
  await ringAt(project, END + 30 * DAY_MS - 1);
  expect(await given()).toEqual([gone, kept]);
  await ringAt(project, END + 30 * DAY_MS);
  expect(await given()).toEqual([kept]);
});

it("a project without a retention keeps its runs permanently, its days become idle, and a new retention expires them", async () => {
  const project = await projectKeeping(null);
  await ingest(project, post(newId()));
  const late = END + 10_000 * DAY_MS;
  await ringAt(project, late);
  expect(await exported(project)).toHaveLength(1);
  await ringAt(project, late + 1);
  expect(await runInDurableObject(shardStub(project), (_, { storage }) => storage.getAlarm())).toBeNull();
  await keep(project, 30);
  expect(await rowsAt(project, late)).toBe(0);
  await ringAt(project, late);
  await ringAt(project, late + RETIRED_MS + 1);
  expect(await keysOf(project)).toEqual([]);
});
