import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DuckDB, openDuckDB } from "../../../dev/duckdb.ts";
import { clockQuery } from "../../../src/clickhouse/queries.ts";
import { SETTLED_AFTER_MICROS } from "../../../src/domain/schedule/table-ledger.ts";
import { DAY_MS, isoFromMs } from "../../../src/domain/shared/time.ts";
import { type BridgeReply, exception } from "../../support/clickhouse-bridge.ts";
import { until } from "../../support/until.ts";
import { type Laboratory, openLaboratory } from "./laboratory.ts";
import { DAY_START, SKIPPED } from "./runs.ts";

/** Late rows in a customer's table, with the real service and the real engine, and a clock set by the test. */

let opened: Laboratory | null = null;
let duckdb: DuckDB;

beforeAll(async () => {
  opened = await openLaboratory();
  duckdb = await openDuckDB();
});

afterAll(async () => {
  await opened?.close();
  duckdb?.close();
});

beforeEach(({ skip }) => {
  if (opened === null) skip(SKIPPED);
});

const laboratory = (): Laboratory => {
  if (opened === null) throw new Error(SKIPPED);
  return opened;
};

const DAYS = 5;
const HOUR_MICROS = 3_600_000_000;
const CLOCK = DAY_START * 1000 + 240 * HOUR_MICROS;

/** The table's clock before window k is spawned, and the time up to which that window is therefore read. */
const clockAt = (k: number): number => CLOCK + k * HOUR_MICROS;
const boundAt = (k: number): number => clockAt(k) - SETTLED_AFTER_MICROS;

/** Rows of all days, inserted between two bounds, in random order; the first one exactly at the bound. */
const ROWS = 300;
const insertBetween = (project: string, k: number): void => {
  const { bridge } = laboratory();
  bridge.engine.run(`INSERT INTO default.runs (id, session_id, trace_id, name, run_type, start_time, ingested_at)
    SELECT concat('${k}-', toString(number)), '${project}', '', 'run', 'chain',
      toDateTime64('2026-09-01 00:00:00', 6, 'UTC') + cityHash64(${k}, number) % ${(DAYS * DAY_MS) / 1000},
      fromUnixTimestamp64Micro(toInt64(${boundAt(k - 1)} + if(number = 0, 0, cityHash64(number, ${k}) % ${HOUR_MICROS})))
    FROM numbers(${ROWS})`);
};

interface Spawned {
  readonly bulk_export_id: string;
  readonly late: readonly object[];
}

/** A daily schedule whose queries of the table's clock wait for the time that the test sets. */
const scheduleOf = async (projectId: string, prefix: string) => {
  const { ask, bridge, newDestination } = laboratory();
  const clocks: BridgeReply[] = [];
  let looks = 0;
  let isLast = false;
  let others: (sql: string) => BridgeReply | null = () => null;
  bridge.interfere(async ({ sql }) => {
    if (isLast || sql !== clockQuery().sql) return others(sql);
    looks += 1;
    await until(() => isLast || clocks.length > 0);
    looks -= 1;
    return clocks.shift() ?? null;
  });
  const read = async <T>(path: string): Promise<T> =>
    // The shapes are checked by test/http.
    (await (await ask("GET", `/api/v1/bulk-exports/${path}`)).json()) as T;
  const created = await ask("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: await newDestination(prefix),
    session_id: projectId,
    start_time: isoFromMs(DAY_START),
    interval_hours: 24,
    export_fields: ["id"],
  });
  const { id: scheduleId } = (await created.json()) as { id: string };
  const eventsOf = async (type: string): Promise<readonly Spawned[]> => {
    const { events } = await read<{ events: { type: string; data: Spawned }[] }>(`${scheduleId}/events?limit=1000`);
    return events.flatMap((event) => (event.type === type ? [event.data] : []));
  };
  const statusOf = async (id: string) => (await read<{ status: string }>(id)).status;
  /** Spawns window k at the given time of the table's clock. */
  const spawn = async (k: number): Promise<Spawned> => {
    clocks.push({ status: 200, body: `["${clockAt(k)}"]\n` });
    await until(async () => (await eventsOf("WindowSpawned")).length > k);
    const spawned = (await eventsOf("WindowSpawned"))[k];
    if (spawned === undefined) throw new Error("no window was spawned");
    return spawned;
  };
  const untilEnded = async ({ bulk_export_id: id, late }: Spawned) => {
    await until(async () => !["CREATED", "RUNNING"].includes(await statusOf(id)));
    return { id, status: await statusOf(id), late: late.length };
  };
  return {
    eventsOf,
    untilItAsks: () => until(() => looks > 0),
    answerOthers(next: typeof others) {
      others = next;
    },
    failOnce: () => clocks.push(exception(209, 500, "Timeout exceeded while reading from socket")),
    async window(k: number) {
      const spawned = await spawn(k);
      return untilEnded(spawned);
    },
    /** Window k is the last one; later queries of the clock reach the table itself. */
    async lastWindow(k: number) {
      const spawned = await spawn(k);
      await ask("PATCH", `/api/v1/bulk-exports/${scheduleId}`, { status: "Cancelled" });
      isLast = true;
      return untilEnded(spawned);
    },
  };
};

/** The rows of each export: file, as in `day=1/0-00000.parquet`, and id, sorted. */
const rowsOf = async (
  prefix: string,
  exportIds: readonly string[],
): Promise<readonly (readonly (readonly [file: string, id: string])[])[]> => {
  const files = await laboratory().parquetFiles(prefix);
  const all: [string, string][][] = [];
  for (const exportId of exportIds) {
    const rows: [string, string][] = [];
    for (const file of files.filter((one) => one.includes(`export_id=${exportId}/`)))
      for (const { id } of await duckdb.rows(`SELECT id FROM '${file}' ORDER BY id`))
        rows.push([file.split("/").slice(-2).join("/"), String(id)]);
    all.push(rows);
  }
  return all;
};

const idsWhere = (project: string, where: string): readonly string[] =>
  laboratory()
    .bridge.engine.rows(`SELECT id FROM default.runs WHERE session_id = '${project}' AND ${where} ORDER BY id`, {})
    .flat()
    .map(String);

/** The rows that start in the days [from, to) and were inserted between two bounds. */
const insertedBetween = (project: string, [from, to]: readonly [number, number], [k, l]: readonly [number, number]) =>
  idsWhere(
    project,
    `toDayOfMonth(start_time) > ${from} AND toDayOfMonth(start_time) <= ${to}
      AND ingested_at >= fromUnixTimestamp64Micro(${boundAt(k)}) AND ingested_at < fromUnixTimestamp64Micro(${boundAt(l)})`,
  );

describe("a schedule of a project in ClickHouse", () => {
  it("exports each row once: with its own window, or late with a later one that completed", async () => {
    const { bind, newProject } = laboratory();
    const projectId = await newProject("late");
    await bind(projectId);
    insertBetween(projectId, 0);
    const schedule = await scheduleOf(projectId, "late");
    const first = await schedule.window(0);
    expect(first).toMatchObject({ status: "COMPLETED", late: 0 });

    insertBetween(projectId, 1);
    let isRefused = false;
    schedule.answerOthers((sql) => {
      if (isRefused || !sql.endsWith("FORMAT Parquet")) return null;
      isRefused = true;
      return exception(241, 500, "Memory limit exceeded");
    });
    const retried = await schedule.window(1);
    expect([retried, isRefused]).toMatchObject([{ status: "COMPLETED", late: 1 }, true]);

    insertBetween(projectId, 2);
    schedule.answerOthers((sql) => (sql.includes(" OVER (") ? exception(60, 404, "Unknown table") : null));
    const lost = await schedule.window(2);
    expect(lost).toMatchObject({ status: "FAILED", late: 2 });

    insertBetween(projectId, 3);
    schedule.answerOthers(() => null);
    schedule.failOnce();
    const last = await schedule.lastWindow(3);
    expect(last).toMatchObject({ status: "COMPLETED", late: 2 + 3 });
    expect(await schedule.eventsOf("LateSearchFailed")).toMatchObject([{ failure: { reason: "busy" } }]);

    const carried = await rowsOf(
      "late",
      [first, retried, lost, last].map(({ id }) => id),
    );
    const [inFirst = [], inRetried = [], inLost = [], inLast = []] = carried.map((rows) => rows.map(([, id]) => id));
    expect(inFirst).toEqual(insertedBetween(projectId, [0, 1], [-1, 0]));
    const late = (rows: (typeof carried)[number]) =>
      rows.filter(([file]) => file.includes("late-")).map(([, id]) => id);
    expect(late(carried[1] ?? [])).toEqual(insertedBetween(projectId, [0, 1], [0, 1]));
    expect(inRetried.length - late(carried[1] ?? []).length).toBe(insertedBetween(projectId, [1, 2], [-1, 1]).length);
    expect(inLost).toEqual([]);
    expect([...new Set((carried[3] ?? []).map(([file]) => file))]).toEqual([
      "day=1/late-1-00000.parquet",
      "day=1/late-3-00000.parquet",
      "day=2/late-2-00000.parquet",
      "day=2/late-4-00000.parquet",
      "day=3/late-5-00000.parquet",
      "day=4/0-00000.parquet",
    ]);
    const all = [...inFirst, ...inRetried, ...inLast];
    expect(new Set(all).size).toBe(all.length);
    // Rows of a failed window of its own belong to that run, which can be retried.
    const ofTheLost = new Set(insertedBetween(projectId, [2, 3], [-1, 2]));
    expect(all.sort()).toEqual(insertedBetween(projectId, [0, 4], [-1, 3]).filter((id) => !ofTheLost.has(id)));
  });

  it("exports no late rows of windows before its project was bound again, or of a table that it no longer reads", async () => {
    const { ask, bind, newProject } = laboratory();
    const projectId = await newProject("bound again");
    const unbind = () => ask("DELETE", `/api/v1/sessions/${projectId}/source`);
    await bind(projectId);
    insertBetween(projectId, 0);
    const schedule = await scheduleOf(projectId, "bound-again");
    await schedule.window(0);
    insertBetween(projectId, 1);
    await schedule.untilItAsks();
    await unbind();
    await bind(projectId);
    schedule.failOnce();
    const rebound = await schedule.window(1);
    expect(rebound).toMatchObject({ status: "COMPLETED", late: 0 });
    expect((await rowsOf("bound-again", [rebound.id])).flat().map(([, id]) => id)).toEqual(
      insertedBetween(projectId, [1, 2], [-1, 1]),
    );
    insertBetween(projectId, 2);
    await schedule.untilItAsks();
    await bind(projectId, { project: "other" });
    const lost = await schedule.lastWindow(2);
    expect(lost).toMatchObject({ status: "COMPLETED", late: 1 });
    expect(await rowsOf("bound-again", [lost.id])).toEqual([[]]);
  });
});
