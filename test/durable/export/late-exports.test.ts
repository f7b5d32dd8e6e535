import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { ExportActor } from "../../../durable/export/export.ts";
import { findLateRows } from "../../../durable/export/late-rows.ts";
import { workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import type { WorkspaceActor } from "../../../durable/workspace/workspace.ts";
import { windowOf } from "../../../src/domain/schedule/windows.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { type Window, windowOfDay } from "../../../src/domain/shared/time.ts";
import { exportedBy } from "../exported-files.ts";
import { definitionOf, forget, newDestination, newWorkspace, type TestWorkspace, untilEnded } from "../exporting.ts";
import { DAY, env, ingest, newId, post } from "../traces.ts";

const HOUR_MICROS = 3_600_000_000;
const START = windowOfDay(DAY).start;

const at = (hour: number): { readonly start_time: number } => ({ start_time: START + hour * HOUR_MICROS });
const hour = (from: number): Window => windowOf(START, 1, from);

const exportStub = (id: string) => env.EXPORT.getByName(`export/${id}`) as DurableObjectStub<ExportActor>;

describe("an hourly schedule", () => {
  /** What the schedule's alarm does for each window, without the clock. */
  const scheduleOf = (home: TestWorkspace) => {
    const definition = definitionOf(home, { start: START, end: null, intervalHours: 1 });
    let lastRegistration = 0;
    return async (index: number, changes: { readonly destinationId?: string; readonly filter?: string } = {}) => {
      const window = hour(index);
      const plan = { definition, shards: 1, limits: LIMITS, destination: NOWHERE };
      const search = await findLateRows(
        env,
        plan,
        { ...window, index, covered: { start: START, end: window.start }, next: window.start },
        { lastRegistration, table: null },
      );
      lastRegistration = search.lastRegistration;
      const spawned = definitionOf(home, {
        ...window,
        sourceExportId: definition.id,
        late: search.windows,
        ...changes,
      });
      await workspace(env, home.tenantId).createExport(spawned);
      return spawned;
    };
  };

  const NOWHERE = { bucketName: "b", prefix: "", region: null, endpointUrl: null, includeBucketInPrefix: false };

  it("exports a late row with its next window, under the row's own day, in a file marked late-", async () => {
    const home = await newWorkspace();
    const spawn = scheduleOf(home);
    const [early, lateOne, next] = [newId(), newId(), newId()];
    await ingest(home, post(early, at(22)));
    expect(await exportedBy(home, (await spawn(22)).id)).toMatchObject([{ late: false, ids: [early] }]);
    await ingest(home, post(lateOne, at(22)), post(next, at(24)));
    expect(await exportedBy(home, (await spawn(24)).id)).toEqual([
      { name: "year=2030/month=1/day=3/0-00000.parquet", late: false, ids: [next] },
      { name: "year=2030/month=1/day=2/late-1-00000.parquet", late: true, ids: [lateOne] },
    ]);
    const quiet = await spawn(25);
    expect(quiet.late).toEqual([]);
    expect(await exportedBy(home, quiet.id)).toEqual([]);
  });

  it("with a filter exports the late rows that match, and claims all of them", async () => {
    const home = await newWorkspace();
    const spawn = scheduleOf(home);
    const [early, meant, other] = [newId(), newId(), newId()];
    const filtered = { filter: 'eq(name,"meant")' };
    await ingest(home, post(early, { ...at(22), name: "meant" }), post(newId(), at(22)));
    expect(await exportedBy(home, (await spawn(22, filtered)).id)).toMatchObject([{ late: false, ids: [early] }]);
    await ingest(home, post(meant, { ...at(22), name: "meant" }), post(other, at(22)));
    expect(await exportedBy(home, (await spawn(24, filtered)).id)).toMatchObject([{ late: true, ids: [meant] }]);
    expect((await spawn(25, filtered)).late).toEqual([]);
  });

  it.each(["FAILED", "CANCELLED"] as const)(
    "exports the late rows of an export that ended %s with the next one",
    async (status) => {
      const home = await newWorkspace();
      const spawn = scheduleOf(home);
      const lateOne = newId();
      await ingest(home, post(newId(), at(0)));
      await exportedBy(home, (await spawn(0)).id);
      await ingest(home, post(lateOne, at(0)));
      const destinationId = await newDestination(home.tenantId, home.prefix);
      await forget(home.tenantId, destinationId);
      const broken = await spawn(1, status === "FAILED" ? { destinationId } : {});
      if (status === "CANCELLED") await workspace(env, home.tenantId).cancelExport(broken.id);
      expect(broken.late).toHaveLength(1);
      expect((await untilEnded(home.tenantId, broken.id)).status).toBe(status);
      await untilMessagesSent(broken.id);
      expect(await exportedBy(home, (await spawn(2)).id)).toMatchObject([{ late: true, ids: [lateOne] }]);
    },
  );

  it("exports late rows once even if every actor is restarted in between", async () => {
    const home = await newWorkspace();
    const spawn = scheduleOf(home);
    const lateOne = newId();
    await exportedBy(home, (await spawn(0)).id);
    await ingest(home, post(lateOne, at(0)));
    await abortAllDurableObjects();
    const { id } = await spawn(1);
    for (let death = 0; death < 5; death += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20 * death));
      await abortAllDurableObjects();
    }
    expect(await exportedBy(home, id)).toMatchObject([{ late: true, ids: [lateOne] }]);
    expect((await spawn(2)).late).toEqual([]);
  });

  it("looks for late rows itself when a window is due", async () => {
    const home = await newWorkspace();
    const schedule = definitionOf(home, { start: START, end: null, intervalHours: 1 });
    await workspace(env, home.tenantId).createExport(schedule);
    const [first, lateOne] = [newId(), newId()];
    await ingest(home, post(first, at(0)));
    await untilMessagesSent(schedule.id);
    const spawned = [];
    for (const index of [0, 1]) {
      await ringAt(schedule.id, home.tenantId, hour(index).end / 1000 + LIMITS.spawnDelayMs);
      const [newest] = (await workspace(env, home.tenantId).listExports({ ...FIRST_BATCH, limit: 1 })).items;
      if (newest === undefined || newest.id === schedule.id) throw new Error("no window was spawned");
      spawned.push(await exportedBy(home, newest.id));
      if (index === 0) await ingest(home, post(lateOne, at(0)));
    }
    expect(spawned).toMatchObject([[{ late: false, ids: [first] }], [{ late: true, ids: [lateOne] }]]);
  });
});

/** Waits until the export has sent all its messages. */
async function untilMessagesSent(exportId: string): Promise<void> {
  const isWaiting = () =>
    runInDurableObject(exportStub(exportId), (_actor, { storage }) => {
      const isKept = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'outbox'").toArray().length > 0;
      return !isKept || storage.sql.exec("SELECT 1 FROM outbox").toArray().length > 0;
    });
  while (await isWaiting()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Runs the schedule's alarm at another time; the actors it calls use the real clock. */
async function ringAt(scheduleId: string, tenantId: string, now: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now });
  try {
    await runInDurableObject(exportStub(scheduleId), (actor) => actor.alarm());
  } finally {
    vi.useRealTimers();
  }
  await runDurableObjectAlarm(env.WORKSPACE.getByName(`workspace/${tenantId}`) as DurableObjectStub<WorkspaceActor>);
}

it("a schedule may begin after the last instant of an alarm", async () => {
  const home = await newWorkspace();
  const start = Date.parse("2200-01-01T00:00:00Z") * 1000;
  const schedule = definitionOf(home, { start, end: null, intervalHours: 1 });
  expect((await workspace(env, home.tenantId).createExport(schedule)).ok).toBe(true);
  await untilMessagesSent(schedule.id);
  const alarmAt = await runInDurableObject(exportStub(schedule.id), (_actor, { storage }) => storage.getAlarm());
  expect(alarmAt).toBe(Date.UTC(2189, 0, 1));
});
