import type { CompiledFilter } from "../../filter/evaluate/evaluate.ts";
import type { FilterColumn, RowView } from "../../filter/row.ts";
import type { ColumnName } from "../columns.ts";
import { integers, valuesOf } from "./column-readers.ts";
import { type LoadedChunks, loadedChunk } from "./loaded-chunks.ts";

/** Selects rows of a segment. */
export interface RowChoice {
  /** Rows that began in one of these half-open windows, in epoch microseconds. */
  readonly windows: readonly { readonly start: number; readonly end: number }[];
  /** Of these rows, the matching ones; null: all. */
  readonly filter: CompiledFilter | null;
}

export interface SelectedRows {
  /** Row numbers, in ascending order. */
  readonly rows: Uint32Array;
  /** Minimum and maximum `start_time` of them, in epoch microseconds. */
  readonly minStart: number;
  readonly maxStart: number;
}

/** The columns that the selection reads. */
export const columnsToChoose = ({ filter }: RowChoice): ReadonlySet<ColumnName> =>
  new Set<ColumnName>(["start_time", ...(filter?.columns ?? [])]);

/** Tests the rows in order; of each column one page is open at a time. */
export const selectRows = (held: LoadedChunks, { windows, filter }: RowChoice): SelectedRows => {
  const columns = new CurrentRow(held, filter?.columns ?? new Set());
  const rows: number[] = [];
  let minStart = Number.POSITIVE_INFINITY;
  let maxStart = Number.NEGATIVE_INFINITY;
  let row = -1;
  const { file, chunk } = loadedChunk(held, "start_time");
  for (const start of integers(file, chunk)) {
    row++;
    columns.advance();
    if (start === null) throw new Error("a segment lacks the start of a run");
    if (!windows.some((window) => start >= window.start && start < window.end)) continue;
    if (filter !== null && !filter.matches(columns)) continue;
    rows.push(row);
    minStart = Math.min(minStart, start);
    maxStart = Math.max(maxStart, start);
  }
  return { rows: Uint32Array.from(rows), minStart, maxStart };
};

/** The row under test, in some columns. */
class CurrentRow implements RowView {
  readonly #columns: { readonly values: Iterator<unknown>; value: unknown }[];
  readonly #places: ReadonlyMap<FilterColumn, number>;

  constructor(held: LoadedChunks, columns: ReadonlySet<FilterColumn>) {
    const names = [...columns];
    this.#columns = names.map((name) => ({ values: valuesOf(loadedChunk(held, name)), value: null }));
    this.#places = new Map(names.map((name, place) => [name, place]));
  }

  advance(): void {
    for (const column of this.#columns) column.value = column.values.next().value;
  }

  readonly value: RowView["value"] = (column) => {
    const place = this.#places.get(column);
    const found = place === undefined ? undefined : this.#columns[place];
    if (found === undefined) throw new Error(`the filter did not say that it reads ${column}`);
    // The reader of a column returns values of that column's type.
    return found.value as never;
  };
}
