import type { SchemaElement } from "hyparquet";
import { ALL_FIELDS, EXPORT_FIELDS, type ExportField, type FormatVersion } from "../domain/shared/fields.ts";

/**
 * The physical columns of a segment, and how an exported file shows them. Both format versions are made of the same
 * chunk bytes; only the footer's annotations differ. A list has two chunks: JSON text for `v1`, LIST<STRING> for
 * `v2_beta`. Columns whose name begins with `_` exist in segments only.
 */

/** `text` streams unparsed bytes; `string` is buffered and may get a dictionary and statistics. */
export type ColumnKind = "text" | "string" | "list" | "time" | "integer" | "count32" | "decimal" | "flag";

/** How chunks are encoded: a dictionary is tried, and bounds or a bloom filter are kept, only where this says so. */
export interface ColumnTraits {
  readonly kind: ColumnKind;
  readonly dictionary: boolean;
  readonly bounds: boolean;
  readonly bloom: boolean;
}

const TEXT = { kind: "text", dictionary: false, bounds: false, bloom: false } as const;
const REPEATED_STRING = { kind: "string", dictionary: true, bounds: true, bloom: false } as const;
const REPEATED_TEXT = { kind: "string", dictionary: true, bounds: false, bloom: false } as const;
const LIST = { kind: "list", dictionary: true, bounds: false, bloom: false } as const;
const TIME = { kind: "time", dictionary: false, bounds: true, bloom: false } as const;
const TOKENS = { kind: "integer", dictionary: true, bounds: true, bloom: false } as const;
const COST = { kind: "decimal", dictionary: true, bounds: true, bloom: false } as const;

/**
 * Every physical column, in the order in which the chunks stand in a file. What an export of all fields copies is one
 * range for `v2_beta` (from `inputs` on) and two for `v1` (the list columns in between are left out).
 */
export const COLUMNS = {
  inputs: TEXT,
  outputs: TEXT,

  _parent_run_ids: LIST,
  _tags: LIST,

  id: { kind: "string", dictionary: false, bounds: true, bloom: true },
  tenant_id: REPEATED_STRING,
  session_id: REPEATED_STRING,
  trace_id: { kind: "string", dictionary: true, bounds: true, bloom: true },
  parent_run_id: REPEATED_STRING,
  reference_example_id: REPEATED_STRING,
  name: REPEATED_STRING,
  run_type: REPEATED_STRING,
  start_time: TIME,
  end_time: TIME,
  status: REPEATED_STRING,
  is_root: { kind: "flag", dictionary: false, bounds: true, bloom: false },
  dotted_order: { kind: "string", dictionary: false, bounds: false, bloom: false },
  trace_tier: REPEATED_STRING,
  error: TEXT,
  extra: TEXT,
  events: TEXT,
  feedback_stats: TEXT,
  total_tokens: TOKENS,
  prompt_tokens: TOKENS,
  completion_tokens: TOKENS,
  total_cost: COST,
  prompt_cost: COST,
  completion_cost: COST,
  first_token_time: TIME,

  parent_run_ids: REPEATED_TEXT,
  tags: REPEATED_TEXT,

  _patched: { kind: "count32", dictionary: true, bounds: true, bloom: false },
  _feedback: TEXT,
} as const satisfies Record<string, ColumnTraits>;

export type ColumnName = keyof typeof COLUMNS;

/** The names of COLUMNS in file order. */
// Object.keys forgets the key type; the object above is closed.
export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[];

const PRIVATE_COLUMNS = ["_parent_run_ids", "_tags", "_patched", "_feedback"] as const satisfies readonly ColumnName[];

/** The column behind a field. Of a run's feedback, segments have kept the whole list ever since. */
const columnOf = (field: ExportField, version: FormatVersion): ColumnName => {
  if (field === "feedbacks") return "_feedback";
  if (version === "v1" || (field !== "parent_run_ids" && field !== "tags")) return field;
  return `_${field}`;
};

/** What an export asks for. `fields` null: EXPORT_FIELDS. The order of `fields` does not matter. */
export interface Selection {
  readonly version: FormatVersion;
  readonly fields: readonly ExportField[] | null;
}

/** The columns of one file, in schema order: the footer's elements and which chunk stands behind each leaf. */
export interface FileSchema {
  readonly elements: readonly SchemaElement[];
  readonly leaves: readonly { readonly column: ColumnName; readonly path: readonly string[] }[];
}

/** Schema of an exported file: the selected fields in the order of ALL_FIELDS, all nullable. */
export const schemaFor = (selection: Selection): FileSchema => {
  const { version, fields } = selection;
  const asked: readonly ExportField[] = fields ?? EXPORT_FIELDS;
  const chosen = ALL_FIELDS.filter((field) => asked.includes(field));
  if (chosen.length === 0) throw new Error("an export of no field has no schema");
  return schemaOf(
    chosen.map((field) => ({ name: field, column: columnOf(field, version) })),
    version,
  );
};

/** Schema of a segment that holds the given columns: names are those of COLUMNS, times are UTC. */
export const segmentSchema = (held: ReadonlySet<ColumnName>): FileSchema =>
  schemaOf(
    [...EXPORT_FIELDS, ...PRIVATE_COLUMNS].filter((name) => held.has(name)).map((name) => ({ name, column: name })),
    "v2_beta",
  );

/** The physical columns that serve a selection, in file order. */
export const columnsFor = (selection: Selection): readonly ColumnName[] => {
  const needed = new Set(schemaFor(selection).leaves.map((leaf) => leaf.column));
  return COLUMN_NAMES.filter((name) => needed.has(name));
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

/** The converted type means UTC, so a reader that knows only it would show a time without zone as UTC: `v1` has none. */
const timeAnnotation = (version: FormatVersion): Partial<SchemaElement> =>
  version === "v1"
    ? { logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MICROS" } }
    : {
        converted_type: "TIMESTAMP_MICROS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
      };
