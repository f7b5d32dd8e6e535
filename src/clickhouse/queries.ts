import type { TableSource } from "../domain/project/clickhouse-binding.ts";
import type { ExportField } from "../domain/run/columns.ts";
import { toClickHouse } from "../filter/clickhouse/condition.ts";
import type { Filter } from "../filter/filter.ts";
import { bytesSql, columnNames, columnOf, quoted, runColumns } from "./columns.ts";

/** The queries. Their SQL consists of constants and checked names; all values are bound parameters. */

export interface Query {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Rows of a table: those that started in a half-open window and were inserted in another. */
export interface Scope {
  readonly source: TableSource;
  /** The ids under which the runs are exported. */
  readonly tenantId: string;
  readonly projectId: string;
  /** Epoch microseconds. */
  readonly start: number;
  readonly end: number;
  /**
   * When the rows were inserted: half-open, epoch microseconds by ClickHouse's clock; `from` 0: from the first row on.
   * Null: any time.
   */
  readonly ingested: { readonly from: number; readonly before: number } | null;
  /** Null: every run. */
  readonly filter: Filter | null;
}

/** A position in the order of the runs. `time`: start, in epoch microseconds. */
export interface Position {
  readonly time: number;
  readonly id: string;
}

/** The rows after `after` (null: from the first on) up to and including `upto`. */
export interface PageBounds {
  readonly after: Position | null;
  readonly upto: Position;
  readonly rows: number;
  /** Uncompressed. */
  readonly bytes: number;
  readonly longestRowBytes: number;
}

/**
 * One row group of zstd pages of 1 MiB, checked every 64 rows because runs may be long. Features that segments do not
 * use are off.
 */
const PARQUET_SETTINGS = [
  "output_format_parquet_compression_method = 'zstd'",
  "output_format_compression_level = 3",
  "output_format_parquet_row_group_size = 1000000000",
  "output_format_parquet_row_group_size_bytes = 4294967296",
  "output_format_parquet_data_page_size = 1048576",
  "output_format_parquet_batch_size = 64",
  "output_format_parquet_string_as_string = 1",
  "output_format_parquet_write_page_index = 0",
  "output_format_parquet_write_bloom_filter = 0",
  "output_format_json_escape_forward_slashes = 0",
].join(", ");

const JSON_LINES = "FORMAT JSONCompactEachRow";

/** The time by ClickHouse's clock. */
export const clockQuery = (): Query => ({
  sql: `SELECT toString(toUnixTimestamp64Micro(now64(6))) ${JSON_LINES}`,
  parameters: {},
});

/** Reads no row, but fails like a read: unknown names, wrong types, missing rights. */
export const checkQuery = (scope: Scope, fields: readonly ExportField[]): Query => {
  const { sql, parameters } = rowsOf(scope, columnNames(fields));
  return { sql: `${sql} LIMIT 0 ${JSON_LINES}`, parameters };
};

/**
 * The pages of a scope, in order. Each has about `pageBytes` bytes in the fields, exceeded by one row at most. Rows with
 * the same start and id stay together.
 */
export const pagesQuery = (scope: Scope, fields: readonly ExportField[], pageBytes: number): Query => {
  const { sql, parameters } = rowsOf(scope, `\`_time\`, \`_id\`, ${bytesSql(fields)} AS \`_bytes\``);
  const paged = `SELECT _time, _id, _bytes, intDiv(sum(_bytes) OVER (ORDER BY _time, _id), {page_bytes:UInt64}) AS page FROM (${sql})`;
  const answer = "toString(tupleElement(max((_time, _id)), 1)), tupleElement(max((_time, _id)), 2)";
  return {
    sql: `SELECT ${answer}, toString(count()), toString(sum(_bytes)), toString(max(_bytes)) FROM (${paged}) GROUP BY page ORDER BY page ${JSON_LINES}`,
    parameters: { ...parameters, page_bytes: String(pageBytes) },
  };
};

/** Rows and uncompressed bytes of each UTC day of a scope. */
export const daysQuery = (scope: Scope, fields: readonly ExportField[]): Query => {
  const { sql, parameters } = rowsOf(scope, `\`_time\`, ${bytesSql(fields)} AS \`_bytes\``);
  return {
    sql: `SELECT toString(intDiv(_time, 86400000000) AS day), toString(count()), toString(sum(_bytes)) FROM (${sql}) GROUP BY day ORDER BY day ${JSON_LINES}`,
    parameters,
  };
};

/** The rows of a page as one Parquet file, in order. */
export const pageQuery = (scope: Scope, fields: readonly ExportField[], { after, upto }: PageBounds): Query => {
  // The page as a window of start times, so that ClickHouse can use the order of the table.
  const window = { start: Math.max(scope.start, after?.time ?? 0), end: Math.min(scope.end, upto.time + 1) };
  const { sql, parameters } = rowsOf({ ...scope, ...window }, columnNames(fields), [
    ...(after === null ? [] : ["(_time, _id) > ({after_time:Int64}, {after_id:String})"]),
    "(_time, _id) <= ({upto_time:Int64}, {upto_id:String})",
  ]);
  return {
    sql: `${sql} ORDER BY _time, _id SETTINGS ${PARQUET_SETTINGS} FORMAT Parquet`,
    parameters: {
      ...parameters,
      ...(after === null ? {} : { after_time: String(after.time), after_id: after.id }),
      upto_time: String(upto.time),
      upto_id: upto.id,
    },
  };
};

const rowsOf = (scope: Scope, columns: string, conditions: readonly string[] = []): Query => {
  const { source, tenantId, projectId, start, end, ingested, filter } = scope;
  const condition = filter === null ? null : toClickHouse(filter);
  const time = columnOf(source, "start_time");
  const arrival = arrivalOf(source, ingested);
  const bounds = [
    `${columnOf(source, "session_id")} = {project:String}`,
    `${time} >= fromUnixTimestamp64Micro({start:Int64})`,
    `${time} < fromUnixTimestamp64Micro({end:Int64})`,
    ...arrival.conditions,
  ];
  const table = `${quoted(source.database)}.${quoted(source.table)}`;
  const runs = `SELECT ${runColumns(source)} FROM ${table} AS t WHERE ${bounds.join(" AND ")}`;
  const wanted = [...(condition === null ? [] : [condition.sql]), ...conditions];
  return {
    sql: `SELECT ${columns} FROM (${runs})${wanted.length === 0 ? "" : ` WHERE ${wanted.join(" AND ")}`}`,
    parameters: {
      tenant: tenantId,
      session: projectId,
      project: source.project,
      start: String(start),
      end: String(end),
      ...arrival.parameters,
      ...condition?.parameters,
    },
  };
};

/**
 * The conditions on the insertion time; none if the table has no insertion times. A row without one is in every
 * snapshot, and never late.
 */
const arrivalOf = (source: TableSource, ingested: Scope["ingested"]) => {
  const column = columnOf(source, "ingested_at");
  if (column === null || ingested === null) return { conditions: [], parameters: {} };
  const { from, before } = ingested;
  const isBefore = `${column} < fromUnixTimestamp64Micro({before:Int64})`;
  if (from === 0) return { conditions: [`(${column} IS NULL OR ${isBefore})`], parameters: { before: String(before) } };
  return {
    conditions: [`${column} >= fromUnixTimestamp64Micro({from:Int64})`, isBefore],
    parameters: { from: String(from), before: String(before) },
  };
};
