import { IDENTIFIER, isTableField, type TableColumn, type TableSource } from "../domain/project/clickhouse-binding.ts";
import { COLUMNS, type ExportField, isList, type Kind } from "../domain/run/columns.ts";
import { ALL_FIELDS, columnOfField } from "../domain/run/fields.ts";

/**
 * Maps a row of the customer's table to a run: each field is an expression of exactly our physical type, always
 * nullable. Names of columns are checked and quoted. Values are bound parameters, never part of the query text.
 */

const kindOf = (field: ExportField): Kind => COLUMNS[columnOfField(field)].kind;

/** Quotes a name for a query. Throws if the name is not plain; the validation of the binding has refused such names. */
export const quoted = (name: string): string => {
  if (!IDENTIFIER.test(name)) throw new Error("a name for a query is not plain");
  return `\`${name}\``;
};

/** The column of the table `t`; null: there is none. */
export const columnOf = ({ columns }: TableSource, column: TableColumn): string | null => {
  const name = columns[column];
  return name === null ? null : `t.${quoted(name ?? column)}`;
};

/** The column of a field, named as in segments for `v1`. */
const columnName = (field: ExportField): string => quoted(columnOfField(field));

/** The columns of the fields, for a query over `runColumns`. */
export const columnNames = (fields: readonly ExportField[]): string => fields.map(columnName).join(", ");

/**
 * A subquery with the runs of the table under our column names. ClickHouse does not read columns that the outer query
 * does not use. The parameters `tenant` and `session` are the ids under which the runs are exported. `_time` and `_id`
 * are never null.
 */
export const runColumns = (source: TableSource): string => {
  const columns = ALL_FIELDS.map((field) => `${fieldSql(source, field)} AS ${columnName(field)}`);
  const lists = ALL_FIELDS.filter((field) => isList(columnOfField(field))).map(
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

/** Bytes of a run in the fields that may be long, plus a constant for the others: see `rowBytes` in src/trace/run. */
export const bytesSql = (fields: readonly ExportField[]): string => {
  const long = fields.filter((field) => LONG_KINDS.has(kindOf(field)));
  return [String(SHORT_FIELDS_BYTES), ...long.map((field) => `ifNull(length(${columnName(field)}), 0)`)].join(" + ");
};

const LONG_KINDS: ReadonlySet<Kind> = new Set(["id", "ids", "string", "list", "text", "object", "array"]);

/** Times, numbers and lengths of one row, before compression: 29 fields of at most 8 bytes. */
const SHORT_FIELDS_BYTES = 232;

const fieldSql = (source: TableSource, field: ExportField): string => {
  if (field === "tenant_id") return "CAST({tenant:String}, 'Nullable(String)')";
  if (field === "session_id") return "CAST({session:String}, 'Nullable(String)')";
  const column = isTableField(field) ? columnOf(source, field) : null;
  switch (kindOf(field)) {
    case "string":
    case "text":
      return textSql(column);
    case "id":
      return idSql(textSql(column));
    case "object":
    case "array":
      return jsonSql(column);
    case "ids":
    case "list":
      return column === null ? textSql(null) : utf8(`toJSONString(${listSql(column, field)})`);
    case "time":
      return typed(column, "DateTime64(6, 'UTC')");
    case "flag":
      return typed(column, "Bool");
    case "integer":
    case "count32":
      return integerSql(column);
    case "decimal":
      return typed(column, "Float64");
  }
};

const textSql = (column: string | null): string =>
  column === null ? typed(null, "String") : utf8(typed(column, "String"));

/** Text columns hold JSON already; a Map, a Tuple or any other type is converted to JSON. */
const jsonSql = (column: string | null): string =>
  column === null
    ? textSql(null)
    : utf8(`if(match(toTypeName(${column}), ${TEXT_TYPE}), ${typed(column, "String")}, toJSONString(${column}))`);

/** Matches the name of a text type, as a pattern in ClickHouse's quotes. */
const TEXT_TYPE = "'^((Nullable|LowCardinality)[(])*(Fixed)?String'";

/** Text in Parquet is UTF-8, and some readers refuse a whole file for one invalid byte. */
const utf8 = (text: string): string => `CAST(toValidUTF8(${text}), 'Nullable(String)')`;

/**
 * A UUID in the canonical spelling of filters and of the built-in store (src/domain/shared/run-id.ts); other text
 * unchanged.
 */
const idSql = (text: string): string => `ifNull(toString(toUUIDOrNull(${text})), ${text})`;

const listSql = (column: string | null, field: ExportField): string => {
  const texts = `CAST(${column ?? "[]"}, 'Array(String)')`;
  return kindOf(field) === "ids" ? `arrayMap(parent -> ${idSql("parent")}, ${texts})` : texts;
};

/** CAST would change a number that is not an Int64. */
const integerSql = (column: string | null): string =>
  column === null
    ? typed(null, "Int64")
    : `if(abs(toFloat64(${column})) < ${TWO_TO_63}, ${typed(column, "Int64")}, NULL)`;

const TWO_TO_63 = "9223372036854775808";

const typed = (column: string | null, type: string): string =>
  `CAST(${column ?? "NULL"}, 'Nullable(${type.replaceAll("'", "\\'")})')`;
