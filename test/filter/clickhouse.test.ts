import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClickHouse, openClickHouse } from "../../bench/clickhouse.ts";
import { toClickHouse } from "../../src/filter/clickhouse/condition.ts";
import { compileFilter } from "../../src/filter/evaluate/evaluate.ts";
import { MAX_COMPARISONS, MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../../src/filter/limits.ts";
import type { FilterColumn } from "../../src/filter/row.ts";
import { valuesOf } from "../../src/parquet/read/column-readers.ts";
import { chunkOf, segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { segmentOf } from "../parquet/files.ts";
import { ODD_RUNS, plainRuns } from "../parquet/runs.ts";
import { rounds } from "../support/rounds.ts";
import { columnsOf, modelFilter, modelRun } from "./model.ts";
import { filterOf, matching, type Run } from "./runs.ts";

/** Each filter is one query over all runs; the results are compared run by run. */
const FILTERS = rounds(20, 200);
const RUNS = 100;

const TABLE = `CREATE TABLE runs (
  key String, id Nullable(String), trace_id Nullable(String), parent_run_id Nullable(String), name Nullable(String),
  error Nullable(String), is_root Nullable(Bool), start_time Nullable(DateTime64(6, 'UTC')),
  end_time Nullable(DateTime64(6, 'UTC')), total_tokens Nullable(Int64), total_cost Nullable(Float64),
  inputs Nullable(String), outputs Nullable(String), extra Nullable(String), _feedback Nullable(String),
  _tags Array(Nullable(String))
) ENGINE = Memory`;

const folder = mkdtempSync(join(tmpdir(), "waybill-filter-"));
let clickHouse: ClickHouse | null = null;

beforeAll(() => {
  clickHouse = openClickHouse(folder);
});

afterAll(() => {
  clickHouse?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** DateTime64 reads a decimal number of seconds. */
const seconds = (micros: unknown): string | null =>
  typeof micros === "number" ? `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, "0")}` : null;

const load = (engine: ClickHouse, runs: Readonly<Record<string, Run>>): void => {
  engine.run("DROP TABLE IF EXISTS runs");
  engine.run(TABLE);
  const lines = Object.entries(runs).map(([key, run]) =>
    JSON.stringify({ ...run, key, start_time: seconds(run.start_time), end_time: seconds(run.end_time) }),
  );
  engine.run(`INSERT INTO runs SETTINGS input_format_null_as_default = 1 FORMAT JSONEachRow ${lines.join("\n")}`);
};

const selected = (engine: ClickHouse, text: string): readonly string[] => {
  const { sql, parameters } = toClickHouse(filterOf(text));
  const answers = engine.rows(`SELECT key, ${sql} AS matches FROM runs ORDER BY key`, parameters);
  for (const answer of answers) expect(answer).toEqual([expect.any(String), expect.toBeOneOf([0, 1, true, false])]);
  return answers.flatMap((answer) => (Array.isArray(answer) && answer[1] ? [String(answer[0])] : []));
};

const sample = (runs: readonly Run[]): Readonly<Record<string, Run>> =>
  Object.fromEntries(runs.map((run, index) => [String(index).padStart(4, "0"), run]));

describe("ClickHouse selects the runs that the compiled filter matches", () => {
  it("for random filters and runs", { tags: "search" }, ({ skip }) => {
    if (clickHouse === null) return skip("chdb is not installed; `npm install --prefix bench` installs it");
    const engine = clickHouse;
    const models = fc.sample(modelRun, RUNS);
    const runs = sample(models.map(columnsOf));
    const keys = Object.keys(runs);
    load(engine, runs);
    fc.assert(
      fc.property(modelFilter, ({ text, holds }) => {
        const answers = selected(engine, text);
        expect(answers, text).toEqual(matching(text, runs));
        expect(answers, text).toEqual(keys.filter((_, index) => models[index] !== undefined && holds(models[index])));
      }),
      { numRuns: FILTERS },
    );
  });

  it("for JSON at the limits, and values that look like SQL", ({ skip }) => {
    if (clickHouse === null) return skip("chdb is not installed; `npm install --prefix bench` installs it");
    const attack = `'); DROP TABLE runs; -- {p1:String} \\ \u0000 "`;
    const long = "n".repeat(MAX_KEY_LENGTH);
    const runs = sample([
      { name: attack, inputs: JSON.stringify({ [attack]: attack }), _tags: [attack], extra: `{"metadata":{"a":1}}` },
      { name: "x", inputs: JSON.stringify({ [long]: 1, [`${long}n`]: 2 }) },
      ...[-1, 0, 1].map((more) => ({
        inputs: `${"[".repeat(MAX_JSON_LEVELS + more)}1${"]".repeat(MAX_JSON_LEVELS + more)}`,
      })),
      { inputs: `{"":{"":[{}]},"a":"\\ud83d","b":1e999,"c":"\\\\ud83d","d":123456789012345678901234567890}` },
      { inputs: "{}", outputs: '"x"', extra: "[]", error: "" },
      {},
    ]);
    load(clickHouse, runs);
    const quoted = `"${attack.replace(/["\\]/g, "\\$&")}"`;
    const filters = [
      `eq(name,${quoted})`,
      `in(name,[${quoted},"x"])`,
      `search(${quoted})`,
      `has(tags,${quoted})`,
      `and(eq(input_key,${quoted}),eq(input_value,${quoted}))`,
      `like(name,"'%\\%")`,
      `eq(input_key,"${long}")`,
      `neq(input_key,"${long}")`,
      "eq(input_value,1)",
      "eq(input_value,2)",
      'eq(input_value,"\uFFFD")',
      'like(input_value,"\\\\ud%")',
      "gt(input_value,1e29)",
      "in(input_value,[1,2,true])",
      "not(exists(error))",
      'search(outputs,"X")',
      `or(${Array(MAX_COMPARISONS / 2)
        .fill('and(eq(input_key,"a"),neq(input_value,"b"))')
        .join(",")})`,
      `or(${Array(Math.floor(MAX_COMPARISONS / 6))
        .fill('search("drop")')
        .join(",")})`,
    ];
    for (const text of filters) expect(selected(clickHouse, text), text).toEqual(matching(text, runs));
  });

  it("for a segment of the bucket", ({ skip }) => {
    if (clickHouse === null) return skip("chdb is not installed; `npm install --prefix bench` installs it");
    const bytes = segmentOf([...ODD_RUNS, ...plainRuns(50)]);
    const path = join(folder, "segment.parquet");
    writeFileSync(path, bytes);
    const answered = FILTERS_OF_SEGMENT.map((text) => {
      const { sql, parameters } = toClickHouse(filterOf(text));
      return clickHouse?.rows(`SELECT id FROM file('${path}', Parquet) WHERE ${sql} ORDER BY id`, parameters).flat();
    });
    expect(answered).toEqual(FILTERS_OF_SEGMENT.map((text) => idsIn(bytes, text)));
    expect(answered.map((ids) => (ids?.length ?? 0) > 0)).toEqual(FILTERS_OF_SEGMENT.map(() => true));
  });
});

/** One for each kind of column; each matches some of the runs. */
const FILTERS_OF_SEGMENT = [
  'neq(name,"x")',
  "eq(is_root,true)",
  'gte(start_time,"2030-01-01T00:00:00.000001Z")',
  "gte(latency,0)",
  "gt(total_tokens,1)",
  "gt(total_cost,0)",
  "neq(error,null)",
  'not(has(tags,"x"))',
  'search("a")',
  'notlike(input_value,"x")',
  "neq(metadata_value,null)",
  "exists(parent_run_id)",
];

/** The ids of the runs of a segment that match the compiled filter. */
const idsIn = (bytes: Uint8Array, text: string): readonly string[] => {
  const filter = compileFilter(filterOf(text));
  const columns = new Map([...filter.columns].map((name) => [name, columnOf(bytes, name)]));
  const ids = columnOf(bytes, "id");
  const picked = ids.filter((_, row) => filter.matches({ value: (name) => columns.get(name)?.[row] as never }));
  return picked.map(String).sort();
};

const columnOf = (bytes: Uint8Array, name: FilterColumn): readonly unknown[] => [
  ...valuesOf({ file: bytes, chunk: chunkOf(segmentFooter(bytes), name) }),
];
