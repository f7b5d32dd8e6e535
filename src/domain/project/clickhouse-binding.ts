import { ALL_FIELDS, type ExportField } from "../shared/fields.ts";

/** A table of the customer's that a project's runs are read from, in ClickHouse, instead of the built-in store. */
export interface TableSource {
  /** Of the HTTP interface, without a slash at the end. */
  readonly url: string;
  readonly database: string;
  readonly table: string;
  readonly user: string;
  /** What the column of `session_id` holds for the runs of this project. */
  readonly project: string;
  /** Names of columns that differ from their own; null: the table has none, so the field is empty. */
  readonly columns: Readonly<Partial<Record<TableColumn, string | null>>>;
}

/** What a project is bound to. The envelope is the sealed password. */
export interface TableBinding {
  readonly source: TableSource;
  readonly envelope: string;
  readonly boundAt: number;
  /** Since when exports read these very rows: a new password or another name of some column leaves it. */
  readonly since: number;
}

/** Columns of a table that are read: those of the exportable fields, and the time at which a row was inserted. */
export type TableColumn = Exclude<ExportField, "tenant_id"> | "ingested_at";

export const TABLE_COLUMNS: readonly TableColumn[] = [
  ...ALL_FIELDS.filter((field) => field !== "tenant_id"),
  "ingested_at",
];

/** Without them there are no pages and no project to select. */
export const INDISPENSABLE_COLUMNS = ["id", "session_id", "start_time"] as const satisfies readonly TableColumn[];

/** A plain name. Quoted nevertheless wherever it stands in a query. */
export const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const isSameSource = (one: TableSource, other: TableSource): boolean =>
  one.url === other.url &&
  one.database === other.database &&
  one.table === other.table &&
  one.user === other.user &&
  one.project === other.project &&
  TABLE_COLUMNS.every((column) => one.columns[column] === other.columns[column]);

/** Since when a project bound now reads the rows that it is bound to; `known`: what it was bound to until now. */
export const boundSince = (known: TableBinding | undefined, source: TableSource, now: number): number =>
  known !== undefined && areSameRows(known.source, source) ? known.since : now;

/** Whether both name the same rows with the same times: what one export has taken, another needs not take. */
const areSameRows = (one: TableSource, other: TableSource): boolean =>
  one.url === other.url &&
  one.database === other.database &&
  one.table === other.table &&
  one.project === other.project &&
  (["session_id", "start_time", "ingested_at"] as const).every(
    (column) => one.columns[column] === other.columns[column],
  );
