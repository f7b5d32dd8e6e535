import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { bulkExport, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import type { UnroutedActor } from "../../../durable/unrouted/unrouted.ts";
import { ANY_FEEDBACK, listFeedback } from "../../../durable/worker/feedback.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import { definitionOf, newWorkspace, type TestWorkspace, untilEnded } from "../exporting.ts";
import {
  env,
  exported,
  feedback,
  ingest,
  keysOf,
  newId,
  newProject,
  post,
  shard,
  unroutedOf,
  WHOLE_DAY,
} from "../traces.ts";

const straysStub = ({ tenantId }: TestWorkspace) =>
  env.UNROUTED.getByName(`unrouted/${tenantId}`) as unknown as DurableObjectStub<UnroutedActor>;

const remove = async (home: TestWorkspace) =>
  expect(await workspace(env, home.tenantId).deleteProject(home.project.id)).toEqual({ ok: true, value: null });

describe("a project that is deleted", () => {
  it("is unknown immediately, with its feedback, and its name can be used again", async () => {
    const home = await newWorkspace();
    const run = newId();
    await ingest(home, post(run), feedback(run, { key: "k", score: 1 }));
    await remove(home);
    const own = workspace(env, home.tenantId);
    expect(await own.project(home.project.id)).toMatchObject({ ok: false, failure: { reason: "not_found" } });
    expect(await own.deleteProject(home.project.id)).toMatchObject({ ok: false, failure: { reason: "not_found" } });
    for await (const piece of listFeedback(env, home.tenantId, { ...ANY_FEEDBACK, offset: 0, limit: 9 }))
      expect(piece).toEqual([]);
    const [again] = await own.resolveProjects([{ name: home.project.name }]);
    expect(again?.ok && again.value.id !== home.project.id).toBe(true);
    expect(await own.createExport(definitionOf(home))).toMatchObject({ ok: false, failure: { what: "project" } });
  });

  it("leaves nothing in the bucket, not even changes in flight; other projects keep their objects", async () => {
    const home = await newWorkspace();
    const otherProject = { ...home, project: { ...newProject(2).project, tenantId: home.tenantId } };
    await ingest(home, ...Array.from({ length: 3 }, () => post(newId())));
    await ingest(otherProject, post(newId()));
    await exported(home);
    await exported(otherProject);
    const kept = (await keysOf(home)).filter((key) => key.includes(otherProject.project.id));
    expect([kept.length, (await keysOf(home)).length]).toEqual([1, 2]);
    await remove(home);
    // The alarm may have run already.
    const left = async () => (await keysOf(home)).filter((key) => key.includes(home.project.id));
    while ((await left()).length > 0) await runDurableObjectAlarm(straysStub(home));
    expect(await keysOf(home)).toEqual(kept);

    await ingest(home, post(newId()));
    await shard(home).snapshot({ start: 0, end: Number.MAX_SAFE_INTEGER }, 0, null);
    while ((await left()).length > 0) await runDurableObjectAlarm(straysStub(home));
    expect((await exported(otherProject)).length).toBe(1);
    expect(
      await unroutedOf(home).registeredDays({
        projectId: home.project.id,
        scheduleId: null,
        after: 0,
        firstDay: "2000",
        lastDay: "3000",
        limit: 9,
      }),
    ).toEqual({ days: [], upTo: 0 });
  });

  it("fails its unfinished exports, their runs and its schedules with that reason; ended exports stay", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    const own = workspace(env, home.tenantId);
    const done = definitionOf(home);
    await own.createExport(done);
    await untilEnded(home.tenantId, done.id);
    const long = definitionOf(home, { end: WHOLE_DAY.end + 200 * DAY_MICROS });
    const schedule = definitionOf(home, { end: null, intervalHours: 1, start: Date.now() * 1000 });
    await own.createExport(long);
    await own.createExport(schedule);
    await remove(home);
    expect(await untilEnded(home.tenantId, done.id)).toMatchObject({ status: "COMPLETED", failure: null });
    expect(await untilEnded(home.tenantId, long.id)).toMatchObject({
      status: "FAILED",
      failure: { reason: "project_deleted" },
    });
    expect(await untilEnded(home.tenantId, schedule.id)).toMatchObject({
      status: "FAILED",
      failure: { reason: "project_deleted" },
    });
    const runs = async () => (await bulkExport(env, long.id).runs(FIRST_BATCH)).items;
    await expect.poll(async () => (await runs()).map((run) => run.finishedAt)).not.toContain(null);
    for (const run of await runs())
      if (run.status !== "COMPLETED")
        expect(run).toMatchObject({ status: "FAILED", exportFailure: { reason: "project_deleted" } });
  });

  it("fails an export that waits for capacity, paused or not", async () => {
    const home = await newWorkspace();
    for (const isPaused of [true, false]) {
      const definition = definitionOf(home);
      const waiting = bulkExport(env, definition.id);
      await waiting.create({ definition, shards: 1, destination: CONFIG });
      if (isPaused) await waiting.pause();
      await waiting.failForDeletedProject();
      await waiting.admit();
      expect(await waiting.view()).toMatchObject({
        status: "FAILED",
        failure: { reason: "project_deleted" },
        pausedAt: null,
      });
    }
  });
});

const CONFIG = { bucketName: "b", prefix: "", region: null, endpointUrl: null, includeBucketInPrefix: false };
