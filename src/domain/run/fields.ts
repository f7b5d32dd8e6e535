import { COLUMNS, type ExportField, RUN_COLUMNS, type RunColumn } from "./columns.ts";

/** The column of an exported field. */
export const columnOfField = (field: ExportField): RunColumn => {
  const column = COLUMN_OF_FIELD.get(field);
  if (column === undefined) throw new Error(`there is no field ${field}`);
  return column;
};

// The table has a name for every field.
const fieldOf = (column: RunColumn): ExportField => (COLUMNS[column].exportName ?? column) as ExportField;

const isDefault = (column: RunColumn): boolean => COLUMNS[column].exported === undefined;
const isOptIn = (column: RunColumn): boolean => COLUMNS[column].exported === "when_named";

/** The fields of an export that names none [ROW-1], in the order of the columns of an exported file [FIL-6]. */
export const EXPORT_FIELDS: readonly ExportField[] = RUN_COLUMNS.filter(isDefault).map(fieldOf);

/** All fields. Those that an export must name come last. */
export const ALL_FIELDS: readonly ExportField[] = [...EXPORT_FIELDS, ...RUN_COLUMNS.filter(isOptIn).map(fieldOf)];

const COLUMN_OF_FIELD: ReadonlyMap<ExportField, RunColumn> = new Map(
  RUN_COLUMNS.map((column) => [fieldOf(column), column]),
);
