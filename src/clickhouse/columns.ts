import { IDENTIFIER, type TableColumn, type TableSource } from "../domain/project/clickhouse-binding.ts";
import { ALL_FIELDS, type ExportField } from "../domain/shared/fields.ts";

/**
 * How a row of the customer's table becomes a run: each field by an expression of exactly our physical type, always
 * nullable. Names of columns are checked and quoted; values never stand in a query, they are bound parameters.
 */

type Kind = "text" | "id" | "json" | "list" | "time" | "flag" | "integer" | "decimal";

const KINDS: Readonly<Partial<Record<ExportField, Kind>>> = {
  id: "id",
  trace_id: "id",
  parent_run_id: "id",
  reference_example_id: "id",
  inputs: "json",
  outputs: "json",
  extra: "json",
  events: "json",
  feedback_stats: "json",
  feedbacks: "json",
  parent_run_ids: "list",
  tags: "list",
  start_time: "time",
  end_time: "time",
  first_token_time: "time",
  is_root: "flag",
  total_tokens: "integer",
  prompt_tokens: "integer",
  completion_tokens: "integer",
  total_cost: "decimal",
  prompt_cost: "decimal",
  completion_cost: "decimal",
};

const kindOf = (field: ExportField): Kind => KINDS[field] ?? "text";

/** Quoted for a query. Throws for a name that is not plain: whoever took it in has refused it already. */
export const quoted = (name: string): string => {
  if (!IDENTIFIER.test(name)) throw new Error("a name for a query is not plain");
  return `\`${name}\``;
};

/** The column of the table `t`; null: it has none. */
export const columnOf = ({ columns }: TableSource, column: TableColumn): string | null => {
  const name = columns[column];
  return name === null ? null : `t.${quoted(name ?? column)}`;
};

/** Our column for a field, as src/parquet has it for `v1`. */
const columnName = (field: ExportField): string => quoted(field === "feedbacks" ? "_feedback" : field);

/** The columns of the fields, for a query over `runColumns`. */
export const columnNames = (fields: readonly ExportField[]): string => fields.map(columnName).join(", ");

/**
 * The runs of the table by the names of our columns, for a subquery: what no outer query asks for is never read. The
 * parameters `tenant` and `session` are the ids under which the runs are exported. `_time` and `_id` never are null.
 */
export const runColumns = (source: TableSource): string => {
  const columns = ALL_FIELDS.map((field) => `${fieldSql(source, field)} AS ${columnName(field)}`);
  const lists = ALL_FIELDS.filter((field) => kindOf(field) === "list").map(
    (field) => `${listSql(columnOf(source, field as TableColumn), field)} AS ${quoted(`_${field}`)}`,
  );
  const time = typed(columnOf(source, "start_time"), "DateTime64(6, 'UTC')");
  return [
    ...columns,
    ...lists,
    `toUnixTimestamp64Micro(ifNull(${time}, fromUnixTimestamp64Micro(0, 'UTC'))) AS \`_time\``,
    `ifNull(${fieldSql(source, "id")}, '') AS \`_id\``,
  ].join(", ");
};

/** Bytes of a run in the fields that may be long, and some for all the others: see `rowBytes` in src/parquet. */
export const bytesSql = (fields: readonly ExportField[]): string => {
  const long = fields.filter((field) => LONG_KINDS.includes(kindOf(field)));
  return [String(SHORT_FIELDS_BYTES), ...long.map((field) => `ifNull(length(${columnName(field)}), 0)`)].join(" + ");
};

const LONG_KINDS: readonly Kind[] = ["text", "id", "json", "list"];

/** Times, numbers and lengths of one row, before compression: 29 fields of at most 8 bytes. */
const SHORT_FIELDS_BYTES = 232;

const fieldSql = (source: TableSource, field: ExportField): string => {
  if (field === "tenant_id") return "CAST({tenant:String}, 'Nullable(String)')";
  if (field === "session_id") return "CAST({session:String}, 'Nullable(String)')";
  const column = columnOf(source, field);
  switch (kindOf(field)) {
    case "text":
      return textSql(column);
    case "id":
      return idSql(textSql(column));
    case "json":
      return jsonSql(column);
    case "list":
      return column === null ? textSql(null) : utf8(`toJSONString(${listSql(column, field)})`);
    case "time":
      return typed(column, "DateTime64(6, 'UTC')");
    case "flag":
      return typed(column, "Bool");
    case "integer":
      return integerSql(column);
    case "decimal":
      return typed(column, "Float64");
  }
};

const textSql = (column: string | null): string =>
  column === null ? typed(null, "String") : utf8(typed(column, "String"));

/** What lies in a column of text is JSON already; a Map, a Tuple or any other type is written as JSON. */
const jsonSql = (column: string | null): string =>
  column === null
    ? textSql(null)
    : utf8(`if(match(toTypeName(${column}), ${TEXT_TYPE}), ${typed(column, "String")}, toJSONString(${column}))`);

/** The name of a type of text, as a pattern in ClickHouse's quotes. */
const TEXT_TYPE = "'^((Nullable|LowCardinality)[(])*(Fixed)?String'";

/** Text in Parquet is UTF-8, and some readers refuse a whole file for one byte that is not. */
const utf8 = (text: string): string => `CAST(toValidUTF8(${text}), 'Nullable(String)')`;

/** A UUID by the spelling that filters and the built-in store have for it (domain/run-id.ts); another text as it is. */
const idSql = (text: string): string => `ifNull(toString(toUUIDOrNull(${text})), ${text})`;

const listSql = (column: string | null, field: ExportField): string => {
  const texts = `CAST(${column ?? "[]"}, 'Array(String)')`;
  return field === "parent_run_ids" ? `arrayMap(parent -> ${idSql("parent")}, ${texts})` : texts;
};

/** CAST would make another number of one that is no Int64. */
const integerSql = (column: string | null): string =>
  column === null
    ? typed(null, "Int64")
    : `if(abs(toFloat64(${column})) < ${TWO_TO_63}, ${typed(column, "Int64")}, NULL)`;

const TWO_TO_63 = "9223372036854775808";

const typed = (column: string | null, type: string): string =>
  `CAST(${column ?? "NULL"}, 'Nullable(${type.replaceAll("'", "\\'")})')`;
