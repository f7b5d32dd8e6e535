import { parquetMetadata } from "hyparquet/src/metadata.js";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import type { EncodedChunk, PageEncoding } from "../chunk.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnName, listIn } from "../columns.ts";
import { type Bounds, decimalBounds, type Statistics, stringBounds } from "../encoding/statistics.ts";
import { type PlacedChunk, readFooter } from "../footer.ts";
import { integers, strings } from "../read/column-readers.ts";
import { storedPages } from "../read/pages.ts";
import { columnsFor, type Selection, segmentSchema } from "../schema.ts";
import { ListColumn } from "./column-writers.ts";
import { segmentFile } from "./segment-file.ts";
import type { Segment } from "./segment-writer.ts";

/**
 * Why a file of another writer cannot become a segment: it has no rows, or its format does not allow its chunks to be
 * copied.
 */
export type NotImportable =
  | { readonly reason: "no_rows" }
  | { readonly reason: "not_adoptable"; readonly message: string };

/**
 * Makes a segment of a Parquet file that another program wrote: one row group, columns with our names and types,
 * nullable, zstd pages of version 1. Its chunks are copied, never decompressed; only lists are made from their JSON
 * text. Holds the columns of a selection, id and start_time. Equal input gives equal bytes.
 */
export const importForeignChunks = (file: Uint8Array, selection: Selection): Result<Segment, NotImportable> => {
  if (isEmpty(file)) return fail({ reason: "no_rows" });
  const read = readFooter(file);
  if (!read.ok) return refuse(read.failure.reason === "not_a_segment" ? read.failure.message : read.failure.reason);
  const { rows, chunks } = read.value;
  const wanted = new Set<ColumnName>([...columnsFor(selection), "id", "start_time"]);
  const mistyped = mistypedColumn(file);
  if (mistyped !== null) return refuse(`the column ${mistyped} has another type`);
  const byName = new Map(chunks.map((chunk) => [chunk.column, chunk]));
  const adopted: EncodedChunk[] = [];
  for (const name of COLUMN_NAMES.filter((column) => wanted.has(column))) {
    const list = listIn(name);
    const chunk = byName.get(list ?? name);
    if (chunk === undefined) return refuse(`the column ${name} is missing`);
    const made = list === null ? copiedChunk(file, chunk) : ok(listChunk(file, chunk, name));
    if (!made.ok) return made;
    adopted.push(made.value);
  }
  const range = startsIn(file, byName.get("start_time"));
  if (range === null) return refuse("a row has no start_time");
  return ok({ bytes: segmentFile(adopted, rows), rows, ...range });
};

const refuse = (message: string): Result<never, NotImportable> => fail({ reason: "not_adoptable", message });

const isEmpty = (file: Uint8Array): boolean => {
  try {
    return parquetMetadata(file).num_rows === 0n;
  } catch {
    return false; // the footer reader reports the fault
  }
};

/** The first leaf that is not of our type; null: all are. */
const mistypedColumn = (file: Uint8Array): string | null => {
  const { schema } = parquetMetadata(file, { geoparquet: false });
  for (const element of schema.slice(1)) {
    // Names were checked when the footer was read; a group has no type.
    const [, ours] = segmentSchema(new Set([element.name as ColumnName])).elements;
    const isSame =
      element.type === ours?.type &&
      element.repetition_type === "OPTIONAL" &&
      element.converted_type === ours?.converted_type;
    if (!isSame) return element.name;
  }
  return null;
};

const copiedChunk = (file: Uint8Array, chunk: PlacedChunk): Result<EncodedChunk, NotImportable> => {
  const { offset, bloomBytes: _, ...same } = chunk;
  if (chunk.codec !== "zstandard") return refuse(`the column ${chunk.column} is in the codec ${chunk.codec}`);
  const pages = new Map<PageEncoding, number>();
  for (const { header } of storedPages(file, chunk)) {
    if (header.dictionary_page_header) continue;
    const encoding = header.data_page_header?.encoding;
    if (encoding !== "PLAIN" && encoding !== "RLE_DICTIONARY")
      return refuse(`the column ${chunk.column} has a page of type ${header.type} and encoding ${encoding}`);
    pages.set(encoding, (pages.get(encoding) ?? 0) + 1);
  }
  const parts = [file.subarray(offset, offset + chunk.bytes)];
  return ok({ ...same, parts, pages, statistics: ownStatistics(chunk), bloom: null });
};

const listChunk = (file: Uint8Array, text: PlacedChunk, name: ColumnName): EncodedChunk => {
  const writer = new ListColumn(name, "zstandard");
  // ClickHouse wrote the text from a list of strings.
  for (const value of strings(file, text)) writer.add(value === null ? null : (JSON.parse(value) as string[]));
  return writer.finish();
};

/** Bounds only for columns that have them in segments, and in the same form. */
const ownStatistics = ({ column, statistics: { nulls, bounds } }: PlacedChunk): Statistics => ({
  nulls,
  bounds: bounds !== null && COLUMNS[column].bounds && bounds.minExact && bounds.maxExact ? ownBounds(bounds) : null,
});

const ownBounds = (bounds: Bounds): Bounds | null => {
  const { min, max } = bounds;
  if (min instanceof Uint8Array && max instanceof Uint8Array) {
    const decoder = new TextDecoder();
    return stringBounds([decoder.decode(min), decoder.decode(max)]);
  }
  if (typeof min !== "number" || typeof max !== "number") return bounds;
  return Number.isFinite(min) && Number.isFinite(max) ? decimalBounds([min, max]) : null;
};

const startsIn = (file: Uint8Array, chunk: PlacedChunk | undefined): Pick<Segment, "minStart" | "maxStart"> | null => {
  let minStart = Number.POSITIVE_INFINITY;
  let maxStart = Number.NEGATIVE_INFINITY;
  for (const start of chunk === undefined ? [null] : integers(file, chunk)) {
    if (start === null) return null;
    minStart = Math.min(minStart, start);
    maxStart = Math.max(maxStart, start);
  }
  return { minStart, maxStart };
};
