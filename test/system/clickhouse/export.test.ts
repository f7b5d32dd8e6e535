import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DuckDB, openDuckDB } from "../../../dev/duckdb.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { until } from "../../support/until.ts";
import { followGuide } from "./documented-commands.ts";
import { type Exported, type Laboratory, openLaboratory, PAGE_BYTES } from "./laboratory.ts";
import { insertRuns, SKIPPED } from "./runs.ts";

/** Exports of projects whose runs are in ClickHouse, by the real service. */

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
  opened?.bridge.interfere(null);
});

const laboratory = (): Laboratory => {
  if (opened === null) throw new Error(SKIPPED);
  return opened;
};

/** A project with `runs` runs in the table, bound to it. */
const boundProject = async (name: string, runs: number, inputs?: string): Promise<string> => {
  const { bridge, bind, newProject } = laboratory();
  const projectId = await newProject(name);
  insertRuns(bridge, projectId, runs, inputs === undefined ? {} : { inputs });
  // Lets the event loop run once, so that connections closed by the service are noticed before the next request.
  await new Promise((resume) => setImmediate(resume));
  const bound = await bind(projectId);
  expect([bound.status, await bound.clone().text()]).toEqual([200, expect.not.stringContaining("password")]);
  return projectId;
};

/** The same sums over the files and over the table. */
const sumsOf = async ({ files }: Exported, projectId: string) => {
  const [inFiles] = await duckdb.rows(`SELECT count(*)::VARCHAR AS rows, count(DISTINCT id)::VARCHAR AS ids,
    sum(total_tokens)::VARCHAR AS tokens, sum(strlen(inputs))::VARCHAR AS bytes,
    min(id || name || epoch_us(start_time)) AS least, max(dotted_order) AS greatest
    FROM read_parquet(${JSON.stringify(files).replaceAll('"', "'")})`);
  const { bridge } = laboratory();
  const [inTable] = bridge.engine.rows(
    `SELECT toString(count()), toString(uniqExact(id)), toString(sum(total_tokens)), toString(sum(length(inputs))),
      min(concat(id, name, toString(toUnixTimestamp64Micro(start_time)))), max(dotted_order)
      FROM default.runs WHERE session_id = {project:String}`,
    { project: projectId },
  );
  return { inFiles: Object.values(inFiles ?? {}), inTable };
};

describe("an export of a project in ClickHouse", () => {
  it("of 1,000,000 runs is complete, in pages of bounded size, one at a time", { tags: "long" }, async () => {
    const { bridge, begin, untilCompleted } = laboratory();
    const projectId = await boundProject("a million", 1_000_000);
    const before = bridge.asked.length;
    const exported = await untilCompleted(await begin(projectId, "million"), "million");
    const { inFiles, inTable } = await sumsOf(exported, projectId);
    expect(inFiles).toEqual(inTable);
    expect(inFiles[0]).toBe("1000000");
    const pages = bridge.asked.slice(before).filter(({ sql }) => sql.endsWith("FORMAT Parquet"));
    expect(pages.length).toBeGreaterThan(50);
    expect(Math.max(...pages.map(({ replyBytes }) => replyBytes))).toBeLessThan(PAGE_BYTES);
    expect(bridge.maxConcurrent()).toBe(1);
    expect(exported.events.filter((type) => type === "PageStaged").length).toBe(pages.length);
  });

  it("that crashes twice has the bytes of an undisturbed one", async () => {
    const { bridge, begin, killAndRestart, untilCompleted } = laboratory();
    const inputs = `concat('{"q":"', repeat(hex(MD5(toString(number))), 20), '"}')`;
    const projectId = await boundProject("interrupted", 30_000, inputs);
    const undisturbed = await untilCompleted(await begin(projectId, "undisturbed"), "undisturbed");
    let isReached = false;
    /** From now on a page is the last one: its response never arrives. */
    const hangAt = (page: number): void => {
      let pages = 0;
      isReached = false;
      bridge.interfere(async ({ sql }) => {
        if (sql.endsWith("FORMAT Parquet")) pages += 1;
        if (pages < page) return null;
        isReached = true;
        return new Promise(() => undefined);
      });
    };
    hangAt(3);
    const exportId = await begin(projectId, "interrupted");
    await until(() => isReached);
    hangAt(2);
    await killAndRestart();
    await until(() => isReached);
    bridge.interfere(null);
    await killAndRestart();
    const interrupted = await untilCompleted(exportId, "interrupted");
    expect(interrupted.runs.map((run) => run.errors)).toEqual([null]);
    expect(interrupted.events.filter((type) => type === "StepCrashed").length).toBe(2);
    expect(interrupted.events.filter((type) => type === "StagingBegan").length).toBe(1);
    expect(undisturbed.bytes.length).toBeGreaterThan(0);
    expect(interrupted.bytes.map((bytes, i) => bytes.equals(undisturbed.bytes[i] ?? Buffer.of()))).toEqual(
      undisturbed.bytes.map(() => true),
    );
  }, 180_000);

  it("reads the table again if its rows change between two pages, and has each of the new rows once", async () => {
    const { bridge, begin, bind, newProject, untilCompleted } = laboratory();
    const projectId = await newProject("changing");
    insertRuns(bridge, projectId, 30_000);
    await bind(projectId, { columns: { ingested_at: null } });
    let pages = 0;
    bridge.interfere(async ({ sql }) => {
      if (sql.endsWith("FORMAT Parquet")) pages += 1;
      if (pages === 2) insertRuns(bridge, projectId, 5000, { first: 25_000 });
      return null;
    });
    const exported = await untilCompleted(await begin(projectId, "changing"), "changing");
    expect(exported.events.filter((type) => type === "StagingDropped").length).toBe(1);
    expect(exported.runs[0]?.errors).toEqual({ retry_0: expect.stringContaining("rows changed") });
    expect((await sumsOf(exported, projectId)).inFiles[0]).toBe("35000");
  });

  it.each([
    { title: "v2_beta", request: { format_version: "v2_beta" } },
    { title: "snappy", request: { compression: "snappy" } },
    { title: "few fields", request: { export_fields: ["name", "tags"] } },
    { title: "no runs", request: { start_time: "2026-08-01T00:00:00Z", end_time: "2026-08-02T00:00:00Z" } },
  ])("is complete in another form: $title", async ({ title, request }) => {
    const { begin, untilCompleted } = laboratory();
    const projectId = await boundProject(title, 3000);
    const prefix = title.replace(" ", "-");
    const exported = await untilCompleted(await begin(projectId, prefix, request), prefix);
    const rows = exported.runs.map((run) => run.metadata.result?.rows_written);
    expect(rows).toEqual([title === "no runs" ? 0 : 3000]);
    if (title === "no runs") return expect(exported.files).toEqual([]);
    const [counted] = await duckdb.rows(
      `SELECT count(*)::VARCHAR AS rows, count(tags)::VARCHAR AS tags FROM read_parquet(${JSON.stringify(exported.files).replaceAll('"', "'")})`,
    );
    expect(counted).toEqual({ rows: "3000", tags: "3000" });
  });

  it("can be estimated by one query, with its filter", async () => {
    const { ask, bridge } = laboratory();
    const projectId = await boundProject("estimated", 3000);
    const before = bridge.asked.length;
    const estimate = async (filter: string | null) => {
      const window = { start_time: "2026-08-31T00:00:00Z", end_time: "2026-09-03T00:00:00Z" };
      const answer = await ask("POST", "/api/v1/bulk-exports/estimate", { session_id: projectId, ...window, filter });
      // The shape is checked by test/http.
      return (await answer.json()) as { rows: number; bytes: number };
    };
    const all = await estimate(null);
    expect(all).toMatchObject({ rows: 3000, files: 1, parts: 1, days: 3, exact: false });
    const half = await estimate('eq(run_type,"llm")');
    expect(half.rows).toBe(1500);
    expect(half.bytes).toBeLessThan(all.bytes);
    expect(bridge.asked.length - before).toBe(2);
  });

  it("contains only the runs of its filter", async () => {
    const { begin, untilCompleted } = laboratory();
    const projectId = await boundProject("filtered", 3000);
    const exported = await untilCompleted(await begin(projectId, "filtered", { filter: 'has(tags,"a")' }), "filtered");
    const rows = await duckdb.rows(`SELECT DISTINCT tags FROM read_parquet('${exported.files[0]}')`);
    expect(rows).toEqual([{ tags: '["a","b/\\"c\\""]' }]);
    expect(exported.runs[0]?.metadata.result?.rows_written).toBe(500);
  });

  it("fails with a reason without password or rows if the table was dropped", async () => {
    const { begin, ask, bridge } = laboratory();
    const projectId = await boundProject("gone", 10);
    bridge.interfere(async () => ({
      status: 404,
      headers: { "X-ClickHouse-Exception-Code": "60" },
      body: "Code: 60. DB::Exception: Table default.runs does not exist",
    }));
    const exportId = await begin(projectId, "gone");
    const record = async () =>
      (await (await ask("GET", `/api/v1/bulk-exports/${exportId}`)).json()) as { status: string };
    await until(async () => (await record()).status === "FAILED");
    const runs = await (await ask("GET", `/api/v1/bulk-exports/${exportId}/runs`)).text();
    expect(runs).toContain("unknown table (ClickHouse code 60)");
    expect(runs).not.toContain("DB::");
  });
});

describe("the source of a project", () => {
  it("is returned without its password, replaced, and removed", async () => {
    const { ask, bind, bridge, newProject } = laboratory();
    const projectId = await newProject("shown");
    const path = `/api/v1/sessions/${projectId}/source`;
    expect((await ask("GET", path)).status).toBe(404);
    expect((await bind(projectId)).status).toBe(200);
    const replaced = await bind(projectId, { project: "other", columns: { trace_tier: null } });
    expect(replaced.status).toBe(200);
    expect(await (await ask("GET", path)).json()).toEqual({
      type: "clickhouse",
      url: bridge.url,
      database: "default",
      table: "runs",
      user: bridge.user,
      project: "other",
      columns: { trace_tier: null },
      bound_at: expect.any(String),
    });
    expect((await ask("DELETE", path)).status).toBe(204);
    expect([(await ask("GET", path)).status, (await ask("DELETE", path)).status]).toEqual([404, 404]);
    expect(laboratory().log()).not.toContain(bridge.password);
  });

  it("is refused if it cannot be read, and nothing changes", async () => {
    const { ask, bind, bridge, newProject } = laboratory();
    const projectId = await newProject("refused");
    const detail = async (changes: object) => {
      const refused = await bind(projectId, changes);
      const text = await refused.text();
      expect(text).not.toContain(bridge.password);
      return [refused.status, text];
    };
    expect(await detail({ password: `${MARK}, wrong` })).toEqual([400, expect.stringContaining("code 516")]);
    expect(await detail({ table: "nothing" })).toEqual([400, expect.stringContaining("unknown table")]);
    expect(await detail({ url: "https://10.0.0.1" })).toEqual([400, expect.stringContaining("public host name")]);
    expect(await detail({ columns: { name: "x` FROM system.one --" } })).toEqual([422, expect.any(String)]);
    expect(await detail({ columns: { id: null } })).toEqual([422, expect.stringContaining("start_time")]);
    expect(await detail({ columns: { tenant_id: "x" } })).toEqual([422, expect.stringContaining("tenant_id")]);
    expect((await ask("GET", `/api/v1/sessions/${projectId}/source`)).status).toBe(404);
  });
});

it("the commands of the guide to ClickHouse create a project with 100,000 runs that can be exported", async () => {
  const { begin, bridge, untilCompleted } = laboratory();
  bridge.engine.run("DROP TABLE default.runs");
  const { said, projectId } = await followGuide(laboratory());
  expect(said).toContain('"rows":100000,');
  const week = { start_time: "2026-11-01T00:00:00Z", end_time: "2026-11-08T00:00:00Z", export_fields: ["id"] };
  const exported = await untilCompleted(await begin(projectId, "guide", week), "guide");
  const rows = exported.runs.map((run) => run.metadata.result?.rows_written ?? 0);
  expect([rows.length, rows.reduce((sum, some) => sum + some, 0)]).toEqual([7, 100_000]);
});
