import { type RowColumn, rowColumnsOf } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import type { Compression } from "../../domain/shared/format.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnName, listChunk } from "../columns.ts";
import { type ColumnWriter, type TextColumn, WRITERS } from "./column-writers.ts";
import { segmentFile } from "./segment-file.ts";

/** A sealed segment. Times are epoch microseconds. */
export interface Segment {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly minStart: number;
  readonly maxStart: number;
}

/** What all rows of a segment share: the columns `tenant_id` and `session_id`. */
export interface SegmentIdentity {
  readonly tenantId: string;
  readonly projectId: string;
}

const TEXTS = rowColumnsOf("text", "object", "array");
const STRINGS = rowColumnsOf("id", "string");
const LISTS = rowColumnsOf("ids", "list");
const INTEGERS = rowColumnsOf("time", "integer");
const COUNTS = rowColumnsOf("count32");
const DECIMALS = rowColumnsOf("decimal");
const NUMBERS = [...INTEGERS, ...COUNTS, ...DECIMALS];
const FLAGS = rowColumnsOf("flag");

/**
 * Writes the runs of one project into one Parquet file with one row group. Long values are compressed page by page as
 * rows are added; short ones are buffered until `finish`. Equal rows give equal bytes.
 */
export class SegmentWriter {
  readonly #identity: SegmentIdentity;
  readonly #columns: ReturnType<typeof openColumns>;
  #rows = 0;
  #minStart = Number.POSITIVE_INFINITY;
  #maxStart = Number.NEGATIVE_INFINITY;
  #finished = false;

  constructor(identity: SegmentIdentity, options?: { readonly codec?: Compression }) {
    this.#identity = identity;
    this.#columns = openColumns(options?.codec ?? "zstandard");
  }

  /** Adds a run. Throws before any change if a column cannot hold its number. */
  add(row: SegmentRow): void {
    if (this.#finished) throw new Error("the segment is finished");
    assertNumbers(row);
    // One loop per kind calls one method each: a single loop over all columns takes a third more time.
    const { texts, strings, numbers, flags, lists, tenant, project } = this.#columns;
    for (const { name, writer } of texts) writer.add(row[name]);
    for (const { name, writer } of strings) writer.add(row[name]);
    for (const { name, writer } of numbers) writer.add(row[name]);
    for (const { name, writer } of flags) writer.add(row[name]);
    for (const { name, writer, textWriter } of lists) {
      const list = row[name];
      writer.add(list);
      textWriter.add(list && listText(list));
    }
    tenant.add(this.#identity.tenantId);
    project.add(this.#identity.projectId);
    this.#rows++;
    this.#minStart = Math.min(this.#minStart, row.start_time);
    this.#maxStart = Math.max(this.#maxStart, row.start_time);
  }

  /** Ends the pages of long values: later rows are in other pages and can be read without these. */
  endPages(): void {
    for (const { writer } of this.#columns.texts) writer.endPage();
  }

  /** Finishes the segment. Call once, after at least one run. */
  finish(): Segment {
    if (this.#finished || this.#rows === 0) throw new Error("a segment is finished once, and not without a run");
    this.#finished = true;
    return {
      bytes: segmentFile(
        this.#columns.all.map((writer) => writer.finish()),
        this.#rows,
      ),
      rows: this.#rows,
      minStart: this.#minStart,
      maxStart: this.#maxStart,
    };
  }
}

/** The writers of all physical columns, and those of each kind with their row columns. */
const openColumns = (codec: Compression) => {
  const all = new Map(COLUMN_NAMES.map((name) => [name, WRITERS[COLUMNS[name].kind](name, codec)]));
  // The kind of a column determines its writer.
  const writerOf = <W>(name: ColumnName): W => all.get(name) as W;
  return {
    all: [...all.values()],
    texts: TEXTS.map((name) => ({ name, writer: writerOf<TextColumn>(name) })),
    strings: STRINGS.map((name) => ({ name, writer: writerOf<ColumnWriter<string>>(name) })),
    numbers: NUMBERS.map((name) => ({ name, writer: writerOf<ColumnWriter<number>>(name) })),
    flags: FLAGS.map((name) => ({ name, writer: writerOf<ColumnWriter<boolean>>(name) })),
    lists: LISTS.map((name) => ({
      name,
      writer: writerOf<ColumnWriter<readonly string[]>>(listChunk(name)),
      textWriter: writerOf<ColumnWriter<string>>(name),
    })),
    tenant: writerOf<ColumnWriter<string>>("tenant_id"),
    project: writerOf<ColumnWriter<string>>("session_id"),
  };
};

/** JSON parsers refuse lone surrogates. */
const listText = (list: readonly string[]): string =>
  JSON.stringify(list.every((item) => item.isWellFormed()) ? list : list.map((item) => item.toWellFormed()));

const assertNumbers = (row: SegmentRow): void => {
  for (const name of INTEGERS) {
    const value = row[name];
    if (value !== null && !Number.isSafeInteger(value)) refuse(name, value);
  }
  for (const name of DECIMALS) {
    const value = row[name];
    if (value !== null && !Number.isFinite(value)) refuse(name, value);
  }
  for (const name of COUNTS) {
    const value = row[name];
    if (value !== (value | 0)) refuse(name, value);
  }
};

const refuse = (column: RowColumn, value: number): never => {
  throw new RangeError(`${column} cannot hold the number ${value}`);
};
