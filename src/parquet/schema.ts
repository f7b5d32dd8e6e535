import type { SchemaElement } from "hyparquet";
import { type ExportField, isList } from "../domain/run/columns.ts";
import { ALL_FIELDS, columnOfField, EXPORT_FIELDS } from "../domain/run/fields.ts";
import type { FormatVersion } from "../domain/shared/format.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnKind, type ColumnName, listChunk, SCHEMA_COLUMNS } from "./columns.ts";

/** Columns and format of an export. `fields` null: EXPORT_FIELDS. The order of `fields` does not matter. */
export interface Selection {
  readonly version: FormatVersion;
  readonly fields: readonly ExportField[] | null;
}

/** The columns of one file, in schema order: the elements of the footer, and the chunk of each leaf. */
export interface FileSchema {
  readonly elements: readonly SchemaElement[];
  readonly leaves: readonly { readonly column: ColumnName; readonly path: readonly string[] }[];
}

/** Schema of an exported file: the selected fields in the order of ALL_FIELDS, all nullable. */
export const schemaFor = ({ version, fields }: Selection): FileSchema => {
  const selected = new Set(fields ?? EXPORT_FIELDS);
  const chosen = ALL_FIELDS.filter((field) => selected.has(field));
  if (chosen.length === 0) throw new Error("an export of no field has no schema");
  return schemaOf(
    chosen.map((field) => ({ name: field, column: chunkOfField(field, version) })),
    version,
  );
};

/** Schema of a segment with the given columns: names are those of COLUMNS, times are UTC. */
export const segmentSchema = (held: ReadonlySet<ColumnName>): FileSchema =>
  schemaOf(
    SCHEMA_COLUMNS.filter((column) => held.has(column)).map((column) => ({ name: column, column })),
    "v2_beta",
  );

/** The physical columns that a selection needs, in file order. */
export const columnsFor = (selection: Selection): readonly ColumnName[] => {
  const needed = new Set(schemaFor(selection).leaves.map((leaf) => leaf.column));
  return COLUMN_NAMES.filter((name) => needed.has(name));
};

/** The column that has a value in the rows of which something was left out [ROW-17]. */
export const LEFT_OUT = "left_out" satisfies ColumnName;

/** The columns of a derived segment, in file order: also LEFT_OUT, if the original holds it, so that rows can be counted. */
export const derivedColumns = (
  selection: Selection,
  held: { has(column: ColumnName): boolean },
): readonly ColumnName[] => {
  const needed = new Set(columnsFor(selection));
  return COLUMN_NAMES.filter((name) => needed.has(name) || (name === LEFT_OUT && held.has(name)));
};

/** The physical column of a field: lists are JSON text in `v1`, LIST<STRING> in `v2_beta`. */
const chunkOfField = (field: ExportField, version: FormatVersion): ColumnName => {
  const column = columnOfField(field);
  return version === "v2_beta" && isList(column) ? listChunk(column) : column;
};

const schemaOf = (
  columns: readonly { readonly name: string; readonly column: ColumnName }[],
  version: FormatVersion,
): FileSchema => {
  const elements: SchemaElement[] = [{ name: "runs", num_children: columns.length }];
  const leaves: { column: ColumnName; path: string[] }[] = [];
  for (const { name, column } of columns) {
    const { kind } = COLUMNS[column];
    if (kind === "list") {
      elements.push(
        {
          name,
          repetition_type: "OPTIONAL",
          num_children: 1,
          converted_type: "LIST",
          logical_type: { type: "LIST" },
        },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        leafElement("element", kind, version),
      );
      leaves.push({ column, path: [name, "list", "element"] });
    } else {
      elements.push(leafElement(name, kind, version));
      leaves.push({ column, path: [name] });
    }
  }
  return { elements, leaves };
};

const leafElement = (name: string, kind: ColumnKind, version: FormatVersion): SchemaElement => {
  const repetition_type = "OPTIONAL" as const;
  switch (kind) {
    case "text":
    case "string":
    case "list":
      return {
        name,
        type: "BYTE_ARRAY",
        repetition_type,
        converted_type: "UTF8",
        logical_type: { type: "STRING" },
      };
    case "time":
      return { name, type: "INT64", repetition_type, ...timeAnnotation(version) };
    case "integer":
      return { name, type: "INT64", repetition_type };
    case "count32":
      return { name, type: "INT32", repetition_type };
    case "decimal":
      return { name, type: "DOUBLE", repetition_type };
    case "flag":
      return { name, type: "BOOLEAN", repetition_type };
  }
};

/**
 * The converted type means UTC. A reader that knows only it would show a time without zone as UTC, so `v1` has none.
 */
const timeAnnotation = (version: FormatVersion): Partial<SchemaElement> =>
  version === "v1"
    ? { logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MICROS" } }
    : {
        converted_type: "TIMESTAMP_MICROS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
      };
