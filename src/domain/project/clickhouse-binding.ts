import { COLUMNS, type ExportField } from "../run/columns.ts";
import { ALL_FIELDS, columnOfField } from "../run/fields.ts";

/** A ClickHouse table of the customer that is the source of a project's exports, instead of the built-in store. */
export interface TableSource {
  /** Of the HTTP interface, without a trailing slash. */
  readonly url: string;
  readonly database: string;
  readonly table: string;
  readonly user: string;
  /** Value of the column of `session_id` for the runs of this project. */
  readonly project: string;
  /** Names of columns that differ from the field's name; null: the table has no such column, and the field is empty. */
  readonly columns: Readonly<Partial<Record<TableColumn, string | null>>>;
}

/** The binding of a project to a table. The envelope is the sealed password. */
export interface TableBinding {
  readonly source: TableSource;
  readonly envelope: string;
  readonly boundAt: number;
  /** Since when exports read these rows. A new password, user or name of another column does not change it. */
  readonly since: number;
}

/** Columns that are read: those of the exportable fields, and the insertion time of a row. */
export type TableColumn = Exclude<ExportField, "tenant_id" | "left_out"> | "ingested_at";

/** Whether runs of a table have the field from a column of the table. */
export const isTableField = (field: ExportField): field is Exclude<TableColumn, "ingested_at"> =>
  field !== "tenant_id" && !COLUMNS[columnOfField(field)].isOfStore;

export const TABLE_COLUMNS: readonly TableColumn[] = [...ALL_FIELDS.filter(isTableField), "ingested_at"];

/** Columns that every table needs: pages and the selection of the project depend on them. */
export const INDISPENSABLE_COLUMNS = ["id", "session_id", "start_time"] as const satisfies readonly TableColumn[];

/** A plain name; queries quote it as well. */
export const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Whether both read the same rows in the same way. */
export const isSameSource = (one: TableSource, other: TableSource): boolean =>
  one.url === other.url &&
  one.database === other.database &&
  one.table === other.table &&
  one.user === other.user &&
  one.project === other.project &&
  TABLE_COLUMNS.every((column) => one.columns[column] === other.columns[column]);

/** `since` of a new binding; `known`: the binding before. */
export const boundSince = (known: TableBinding | undefined, source: TableSource, now: number): number =>
  known !== undefined && areSameRows(known.source, source) ? known.since : now;

/** Whether both name the same rows with the same times, so that the ledgers of schedules stay valid. */
const areSameRows = (one: TableSource, other: TableSource): boolean =>
  one.url === other.url &&
  one.database === other.database &&
  one.table === other.table &&
  one.project === other.project &&
  (["session_id", "start_time", "ingested_at"] as const).every(
    (column) => one.columns[column] === other.columns[column],
  );
