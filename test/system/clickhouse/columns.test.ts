import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openClickHouse, type PageScope } from "../../../src/clickhouse/client.ts";
import { TABLE_COLUMNS, type TableColumn } from "../../../src/domain/project/clickhouse-binding.ts";
import { ALL_FIELDS } from "../../../src/domain/run/fields.ts";
import { parseFilter } from "../../../src/filter/parse/index.ts";
import { chunkOf, segmentFooter } from "../../../src/parquet/read/segment-reader.ts";
import { importForeignChunks } from "../../../src/parquet/write/import-foreign-chunks.ts";
import { useEngine } from "./engine.ts";
import { dayOf, must, PROJECT } from "./scope.ts";

/** Tables whose columns have other types or spellings than the documented one, read as the adapter reads them. */

const NOON = "2026-09-01 12:00:00";

const { bridge, select } = useEngine();

type Row = Readonly<Record<string, unknown>>;

/** A new table with these columns in addition to the required ones, and its rows. */
const tableOf = (columns: Partial<Record<TableColumn, string>>, rows: readonly Row[]) => {
  const { engine, url, user, password } = bridge();
  const table = `t_${randomUUID().replaceAll("-", "")}`;
  const all = { id: "String", session_id: "String", start_time: "DateTime64(6, 'UTC')", ...columns };
  const typed = Object.entries(all).map(([name, type]) => `${name} ${type}`);
  engine.run(`CREATE TABLE default.${table} (${typed.join(", ")}) ENGINE = MergeTree ORDER BY tuple()`);
  const lines = rows.map((row) => JSON.stringify({ id: randomUUID(), session_id: PROJECT, start_time: NOON, ...row }));
  engine.run(`INSERT INTO default.${table} FORMAT JSONEachRow ${lines.join("\n")}`);
  const others = TABLE_COLUMNS.filter((column) => !(column in all)).map((column) => [column, null]);
  const source = { url, database: "default", table, user, project: PROJECT, columns: Object.fromEntries(others) };
  const opened = openClickHouse(source, password, { allowLoopback: true, timeoutMs: 60_000 });
  return must(opened);
};

const DAY = dayOf(ALL_FIELDS);

/** The rows of the scope that match the filter, as they are exported. */
const exported = async (
  table: ReturnType<typeof tableOf>,
  filter: string | null = null,
  changes: Partial<PageScope> = {},
  pageBytes = 1024 * 1024,
): Promise<readonly Row[]> => {
  must(await table.check());
  const scope = { ...DAY, ...changes, filter: filter === null ? null : must(parseFilter(filter)) };
  const rows: Row[] = [];
  for (const bounds of must(await table.pages(scope, pageBytes))) {
    const page = must(await table.page(scope, bounds, async () => {}));
    const segment = must(importForeignChunks(page, { version: "v1", fields: ALL_FIELDS }));
    expect(segment.rows).toBe(bounds.rows);
    rows.push(...(await select("*, _feedback AS feedbacks", segment.bytes)));
  }
  return rows;
};

describe("a row without its time of insertion", () => {
  const micros = (day: number) => Date.UTC(2026, 8, day) * 1000;
  const table = () =>
    tableOf({ ingested_at: "Nullable(DateTime64(6, 'UTC'))", name: "String" }, [
      { name: "old", ingested_at: null },
      { name: "new", ingested_at: "2026-09-02 00:00:00" },
      { name: "newest", ingested_at: "2026-09-04 00:00:00" },
    ]);
  const names = async (from: number, before: number) =>
    (await exported(table(), null, { ingested: { from, before } })).map(({ name }) => name).sort();

  it("is in every snapshot", async () => {
    expect(await names(0, micros(3))).toEqual(["new", "old"]);
    expect(await names(0, micros(2))).toEqual(["old"]);
  });

  it("is never late", async () => {
    expect(await names(micros(2), micros(5))).toEqual(["new", "newest"]);
  });
});

describe("a field of JSON", () => {
  const TEXT = '{"q": "x/y"}';

  it.each<readonly [type: string, value: unknown]>([
    ["Map(String, String)", { q: "x" }],
    ["Map(LowCardinality(String), Array(UInt64))", { q: [1, 2] }],
    ["Tuple(q String, n Nullable(Float64))", { q: "x", n: null }],
    ["Array(Tuple(name String, time String))", [{ name: "new_token", time: "now" }]],
    ["JSON", { q: { deep: "x/y" } }],
    ["Nullable(JSON)", { q: "x" }],
    ["Nullable(JSON)", null],
    ["Array(JSON)", [{ name: "new_token" }]],
  ])("is written as JSON from a column of type %s", async (type, value) => {
    const fields = ["inputs", "outputs", "extra", "events", "feedback_stats", "feedbacks"] as const;
    const table = tableOf(Object.fromEntries(fields.map((field) => [field, type])), [
      Object.fromEntries(fields.map((field) => [field, value])),
    ]);
    const [row] = await exported(table);
    const texts = fields.map((field) => row?.[field]);
    expect(texts.map((text) => (typeof text === "string" ? JSON.parse(text) : text))).toEqual(fields.map(() => value));
  });

  it.each(["String", "Nullable(String)", "LowCardinality(Nullable(String))", "FixedString(12)"])(
    "is unchanged in a column of type %s",
    async (type) => {
      const [row] = await exported(tableOf({ inputs: type }, [{ inputs: TEXT }]));
      expect(row?.inputs).toBe(TEXT);
    },
  );

  it("can be filtered with any type of its column", async () => {
    const table = tableOf(
      { inputs: "Map(String, String)", extra: "Tuple(metadata Map(String, UInt64))", name: "String" },
      [
        { name: "one", inputs: { q: "x" }, extra: { metadata: { k: 1 } } },
        { name: "other", inputs: { q: "y" }, extra: { metadata: { k: 2 } } },
      ],
    );
    for (const filter of [
      'and(eq(input_key,"q"),eq(input_value,"x"))',
      'and(eq(metadata_key,"k"),eq(metadata_value,1))',
      'search(inputs,"X")',
    ])
      expect(
        (await exported(table, filter)).map(({ name }) => name),
        filter,
      ).toEqual(["one"]);
  });
});

describe("an id", () => {
  const ID = "6f1e3b5a-9c0d-4e2f-8a7b-00000000000a";
  const fields = ["id", "trace_id", "parent_run_id", "reference_example_id"] as const;
  const types = { trace_id: "Nullable(String)", parent_run_id: "Nullable(String)", reference_example_id: "String" };

  it.each([
    ["in lower case", ID],
    ["in upper case", ID.toUpperCase()],
    ["without hyphens", ID.replaceAll("-", "")],
  ])("that the table stores as %s is found in every spelling, and exported like ids that were sent", async (_, id) => {
    const row = { id, trace_id: id, parent_run_id: id, reference_example_id: id, parent_run_ids: [id] };
    const table = tableOf({ ...types, parent_run_ids: "Array(String)" }, [row, { reference_example_id: "" }]);
    for (const field of fields)
      for (const asked of [ID, ID.toUpperCase(), ID.replaceAll("-", "")]) {
        const rows = await exported(table, `eq(${field},"${asked}")`);
        expect(rows, `${field} ${asked}`).toMatchObject([
          { id: ID, trace_id: ID, parent_run_id: ID, reference_example_id: ID, parent_run_ids: `["${ID}"]` },
        ]);
      }
  });

  it("that is not a UUID is exported unchanged, and paging works with it", async () => {
    const ids = ["", "a\nb", "a\u0000b", "a\r", "a\tb", "a\\b", "\ud83d\ude00", "a'b", "\\N", "A", `${ID}0`, `{${ID}}`];
    const table = tableOf(
      {},
      ids.map((id) => ({ id })),
    );
    expect((await exported(table, null, {}, 1)).map(({ id }) => id).sort()).toEqual([...ids].sort());
  });
});

describe("a number", () => {
  it("above 2^53 is compared as a double", async () => {
    const table = tableOf({ total_tokens: "Int64" }, [{ total_tokens: "9007199254740993" }]);
    for (const number of ["9007199254740992", "9007199254740993"])
      for (const filter of [
        `eq(total_tokens,${number})`,
        `in(total_tokens,[${number}])`,
        `gte(total_tokens,${number})`,
      ])
        expect(await exported(table, filter), filter).toHaveLength(1);
    expect(await exported(table, "gt(total_tokens,9007199254740992)")).toEqual([]);
  });

  it.each([
    ["UInt64", "18446744073709551615"],
    ["UInt64", "9223372036854775808"],
    ["Nullable(UInt64)", "18446744073709551615"],
    ["Int128", "-170141183460469231731687303715884105728"],
    ["String", "18446744073709551615"],
    ["Float64", "1e300"],
  ])("of type %s that is too large is exported as null: %s", async (type, number) => {
    const table = tableOf({ total_tokens: type }, [{ total_tokens: number }]);
    expect(await exported(table)).toMatchObject([{ total_tokens: null }]);
    expect(await exported(table, "exists(total_tokens)")).toEqual([]);
  });

  it.each([
    ["-0.0", "0.0"],
    ["0.0", "-0.0"],
  ])(
    "that is zero is within the bounds with either sign, because readers may distinguish them: %s, %s",
    async (...zeros) => {
      const table = tableOf(
        { total_cost: "Float64" },
        zeros.map((total_cost) => ({ total_cost })),
      );
      const [bounds] = must(await table.pages(DAY, 1024 * 1024));
      if (bounds === undefined) throw new Error("there is no page");
      const page = must(await table.page(DAY, bounds, async () => {}));
      const { bytes } = must(importForeignChunks(page, { version: "v1", fields: ["total_cost"] }));
      expect(chunkOf(segmentFooter(bytes), "total_cost").statistics.bounds).toMatchObject({ min: -0, max: 0 });
    },
  );

  it.each(["UInt8", "UInt64", "Nullable(Int32)", "String", "Float64", "Decimal(9, 2)"])(
    "of type %s is the same number",
    async (type) => {
      const table = tableOf({ total_tokens: type }, [{ total_tokens: "42" }]);
      expect((await exported(table, "eq(total_tokens,42)")).map((row) => Number(row.total_tokens))).toEqual([42]);
    },
  );
});
