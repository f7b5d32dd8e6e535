import { listDurableObjectIds } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { bulkExport, unrouted, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { UnroutedActor } from "../../../durable/unrouted/unrouted.ts";
import { manifestKey } from "../../../src/domain/destination/layout.ts";
import { DAY_MICROS, dayOfMicros } from "../../../src/domain/shared/time.ts";
import { customerObject, definitionOf, newWorkspace, untilEnded } from "../exporting.ts";
import { DAY, env, ingest, newId, newProject, post, unroutedOf, WHOLE_DAY } from "../traces.ts";

const MIDNIGHT = WHOLE_DAY.start;
const HOUR_MICROS = 3_600_000_000;

describe("an export of 10,000 days", () => {
  it("without rows is COMPLETED with one event for its days, and shows a COMPLETED run for each", async () => {
    const home = await newWorkspace();
    const before = (await listDurableObjectIds(env.EXPORT_RUN)).length;
    const definition = definitionOf(home, { start: MIDNIGHT - 9_999 * DAY_MICROS, end: MIDNIGHT + DAY_MICROS });
    await workspace(env, home.tenantId).createExport(definition);
    expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED", rowsWritten: 0 });

    const receiver = bulkExport(env, definition.id);
    const { events } = await receiver.events({ after: 0, limit: 100 });
    expect(events.map(({ event }) => event.type)).toEqual([
      "ExportCreated",
      "ExportStarted",
      "DaysChecked",
      "ManifestBegan",
      "ManifestCommitted",
      "ExportCompleted",
    ]);
    const [last] = (await receiver.runs({ ...FIRST_BATCH, offset: 9_999 })).items;
    expect(last).toMatchObject({
      status: "COMPLETED",
      start: MIDNIGHT,
      end: MIDNIGHT + DAY_MICROS,
      progress: { rowsPlanned: 0, rowsWritten: 0, files: [] },
    });
    expect(await receiver.run(last?.id ?? "")).toEqual(last);
    expect((await receiver.runs({ ...FIRST_BATCH, offset: 9_990, limit: 5 })).items).toHaveLength(5);
    expect((await listDurableObjectIds(env.EXPORT_RUN)).length).toBe(before);

    const manifest = JSON.parse(
      new TextDecoder().decode((await customerObject(manifestKey(home.prefix, definition.id))) ?? undefined),
    );
    expect(manifest).toMatchObject({ rows: 0, runs: [], empty_days: [{ last: DAY }] });
  });

  it("starts a run for each day with rows, and only for those", async () => {
    const home = await newWorkspace();
    const day = (number: number) => ({ start_time: MIDNIGHT + number * DAY_MICROS });
    for (const number of [-9_000, -20, 0]) await ingest(home, post(newId(), day(number)));
    const definition = definitionOf(home, { start: MIDNIGHT - 9_999 * DAY_MICROS, end: MIDNIGHT + DAY_MICROS });
    await workspace(env, home.tenantId).createExport(definition);
    expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED", rowsWritten: 3 });
    const { events } = await bulkExport(env, definition.id).events({ after: 0, limit: 100 });
    const admitted = events.flatMap(({ event }) => (event.type === "RunAdmitted" ? [event.ordinal] : []));
    expect(admitted).toEqual([999, 9_979, 9_999]);
  });
});

it("an order is answered, and exports are listed, while the days of the export are checked", async () => {
  const home = await newWorkspace();
  let isReleased = false;
  // On the prototype, because a call to an actor does not find methods of the instance.
  const findDays = vi.spyOn(UnroutedActor.prototype, "findDays");
  findDays.mockImplementation(async () => {
    while (!isReleased) await new Promise((resolve) => setTimeout(resolve, 5));
    return { days: [], isAll: true };
  });
  const definition = definitionOf(home, { start: MIDNIGHT - 9_999 * DAY_MICROS, end: MIDNIGHT + DAY_MICROS });
  const receiver = workspace(env, home.tenantId);
  try {
    expect(await receiver.createExport(definition)).toMatchObject({ ok: true, value: { status: "CREATED" } });
    await vi.waitUntil(() => findDays.mock.calls.length > 0);
    expect((await receiver.listExports(FIRST_BATCH)).items).toMatchObject([{ id: definition.id }]);
    expect((await receiver.createExport({ ...definition, id: crypto.randomUUID() })).ok).toBe(true);
  } finally {
    isReleased = true;
  }
  expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED" });
  findDays.mockRestore();
});

describe("the days that a schedule found empty", () => {
  const days = (...numbers: readonly number[]) => numbers.map((number) => dayOfMicros(MIDNIGHT + number * DAY_MICROS));
  const window = (from: number, upto: number) => ({
    start: MIDNIGHT + from * DAY_MICROS,
    end: MIDNIGHT + upto * DAY_MICROS,
  });

  function project() {
    const home = newProject();
    const projectId = home.project.id;
    const index = unroutedOf(home);
    return {
      register: (...numbers: readonly number[]) =>
        Promise.all(days(...numbers).map((day) => index.registerDay({ projectId, day, shards: 1 }))),
      find: (range: { start: number; end: number }, scheduleId: string | null = "s", limit = 100) =>
        index.findDays({
          projectId,
          scheduleId,
          window: range,
          firstDay: dayOfMicros(range.start),
          lastDay: dayOfMicros(range.end - 1),
          limit,
        }),
      emptyOn: async (number: number, scheduleId = "s") => {
        const [day = ""] = days(number);
        const query = { projectId, scheduleId, after: 0, firstDay: day, lastDay: day, limit: 1 };
        return (await index.registeredDays(query)).days[0]?.empty;
      },
    };
  }

  it("stay empty for the same window, though rows come between two questions", async () => {
    const { register, find } = project();
    await register(1);
    expect(await find(window(0, 3))).toEqual({ days: days(1), isAll: true });
    await register(0, 2);
    expect(await find(window(0, 3))).toEqual({ days: days(1), isAll: true });
    expect(await find(window(0, 3), "another")).toEqual({ days: days(0, 1, 2), isAll: true });
    expect(await find(window(0, 3), null)).toEqual({ days: days(0, 1, 2), isAll: true });
  });

  it("are known when the day gets rows, joined over adjacent windows and cut to the day", async () => {
    const { register, find, emptyOn } = project();
    await find({ start: MIDNIGHT - DAY_MICROS, end: MIDNIGHT + HOUR_MICROS });
    await find({ start: MIDNIGHT + 3_600_000, end: MIDNIGHT + 2 * HOUR_MICROS });
    await register(0);
    await find({ start: MIDNIGHT + 2 * HOUR_MICROS, end: MIDNIGHT + DAY_MICROS });
    expect(await emptyOn(0)).toEqual([{ start: MIDNIGHT, end: MIDNIGHT + 2 * HOUR_MICROS }]);
    expect(await emptyOn(0, "another")).toEqual([]);
  });

  it("after the last day of an answer that is not all are left to the next question", async () => {
    const { register, find, emptyOn } = project();
    await register(0, 4);
    expect(await find(window(0, 6), "s", 1)).toEqual({ days: days(0), isAll: false });
    await register(2);
    expect(await find(window(1, 6), "s", 9)).toEqual({ days: days(2, 4), isAll: true });
    expect(await emptyOn(2)).toEqual([]);
  });

  it("are forgotten with the project", async () => {
    const home = newProject();
    const index = unrouted(env, home.tenantId);
    const query = {
      projectId: home.project.id,
      scheduleId: "s",
      window: WHOLE_DAY,
      firstDay: DAY,
      lastDay: DAY,
      limit: 1,
    };
    await index.findDays(query);
    await index.eraseProject(home.project.id);
    await index.registerDay({ projectId: home.project.id, day: DAY, shards: 1 });
    expect(await index.findDays(query)).toEqual({ days: [], isAll: true });
  });
});
