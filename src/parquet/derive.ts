import type { Compression } from "../domain/fields.ts";
import { ChunkWriter, type EncodedChunk } from "./chunk-writer.ts";
import { decompressPage } from "./codec.ts";
import { count32s, decimals, flags, integers, lists, strings, texts } from "./column-readers.ts";
import {
  type ColumnWriter,
  count32Column,
  decimalColumn,
  flagColumn,
  integerColumn,
  listColumn,
  stringColumn,
  textColumn,
} from "./column-writers.ts";
import { COLUMNS, columnsFor, type Selection } from "./columns.ts";
import type { PlacedChunk } from "./footer.ts";
import { storedPages } from "./pages.ts";
import { segmentFile } from "./segment-file.ts";
import { chunkOf, segmentFooter } from "./segment-reader.ts";
import type { Segment } from "./segment-writer.ts";

/** What a derived segment is to hold: the columns of a selection, in a codec, of the rows that began in some windows. */
export interface Derivation {
  readonly selection: Selection;
  readonly codec: Compression;
  /** Half-open windows on `start_time` in epoch microseconds; null: every row. */
  readonly keep: readonly { readonly start: number; readonly end: number }[] | null;
}

/**
 * Makes a new segment of what cannot be copied from `bytes`, a whole segment: another codec, or only some of its
 * rows. null: no row is left. Works column by column and page by page, so that beside the two files only one column
 * is ever open. Equal input gives equal bytes.
 */
export const deriveSegment = (bytes: Uint8Array, request: Derivation): Segment | null => {
  const footer = segmentFooter(bytes);
  const { kept, rows, minStart, maxStart } = keptRows(bytes, chunkOf(footer, "start_time"), request.keep);
  if (rows === 0) return null;
  const chunks = columnsFor(request.selection).map((column) => {
    const chunk = chunkOf(footer, column);
    return rows === footer.rows
      ? recompressed(bytes, chunk, request.codec)
      : filtered(bytes, chunk, request.codec, kept);
  });
  return { bytes: segmentFile(chunks, rows), rows, minStart, maxStart };
};

interface KeptRows {
  /** One for each row: whether it stays. */
  readonly kept: readonly boolean[];
  readonly rows: number;
  readonly minStart: number;
  readonly maxStart: number;
}

const keptRows = (bytes: Uint8Array, startTimes: PlacedChunk, keep: Derivation["keep"]): KeptRows => {
  const kept: boolean[] = [];
  let rows = 0;
  let minStart = Number.POSITIVE_INFINITY;
  let maxStart = Number.NEGATIVE_INFINITY;
  for (const start of integers(bytes, startTimes)) {
    if (start === null) throw new Error("a segment lacks the start of a run");
    const stays = keep === null || keep.some((window) => start >= window.start && start < window.end);
    kept.push(stays);
    if (!stays) continue;
    rows++;
    minStart = Math.min(minStart, start);
    maxStart = Math.max(maxStart, start);
  }
  return { kept, rows, minStart, maxStart };
};

/** All rows: pages are compressed anew, their values never decoded; bounds and bloom filter stay true. */
const recompressed = (bytes: Uint8Array, chunk: PlacedChunk, codec: Compression): EncodedChunk => {
  const bloomAt = chunk.offset + chunk.bytes;
  const bloom = chunk.bloomBytes === 0 ? null : bytes.subarray(bloomAt, bloomAt + chunk.bloomBytes);
  if (chunk.codec === codec) {
    const { bloomBytes: _, offset, ...same } = chunk;
    return { ...same, parts: [bytes.subarray(offset, bloomAt)], bloom };
  }
  const writer = new ChunkWriter(chunk.column, codec);
  for (const { header, body } of storedPages(bytes, chunk)) {
    const page = decompressPage(chunk.codec, body, header.uncompressed_page_size);
    const { data_page_header: data, dictionary_page_header: dictionary } = header;
    if (dictionary) writer.dictionaryPage(page, dictionary.num_values);
    else if (data?.encoding === "PLAIN" || data?.encoding === "RLE_DICTIONARY") {
      writer.dataPage(page, data.num_values, data.encoding);
    } else throw new Error(`a page of type ${header.type} and encoding ${data?.encoding} in a segment`);
  }
  return writer.finish(chunk.statistics, bloom);
};

/** Some rows: values are written anew, so that dictionary and bounds are those of the rows that stay. */
const filtered = (
  bytes: Uint8Array,
  chunk: PlacedChunk,
  codec: Compression,
  kept: readonly boolean[],
): EncodedChunk => {
  const { column } = chunk;
  switch (COLUMNS[column].kind) {
    case "text":
      return refilled(textColumn(column, codec), texts(bytes, chunk), kept);
    case "string":
      return refilled(stringColumn(column, codec), strings(bytes, chunk), kept);
    case "list":
      return refilled(listColumn(column, codec), lists(bytes, chunk), kept);
    case "time":
    case "integer":
      return refilled(integerColumn(column, codec), integers(bytes, chunk), kept);
    case "count32":
      return refilled(count32Column(column, codec), count32s(bytes, chunk), kept);
    case "decimal":
      return refilled(decimalColumn(column, codec), decimals(bytes, chunk), kept);
    case "flag":
      return refilled(flagColumn(column, codec), flags(bytes, chunk), kept);
  }
};

const refilled = <T>(writer: ColumnWriter<T>, values: Iterable<T | null>, kept: readonly boolean[]): EncodedChunk => {
  let row = 0;
  for (const value of values) {
    if (kept[row++]) writer.add(value);
  }
  return writer.finish();
};
