import type { PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { decompressPage } from "../encoding/codec.ts";
import { bitWidthOf, type Depth } from "../encoding/levels.ts";
import type { PlacedChunk } from "../footer.ts";

/** A page as it is stored in a file. */
export interface StoredPage {
  readonly header: PageHeader;
  /** Compressed. */
  readonly body: Uint8Array;
}

/** The pages of a chunk in order, not decompressed. `file` is the whole segment. */
export function* storedPages(file: Uint8Array, chunk: PlacedChunk): Generator<StoredPage> {
  const end = chunk.offset + chunk.bytes;
  const reader = { view: new DataView(file.buffer, file.byteOffset, file.byteLength), offset: chunk.offset };
  while (reader.offset < end) {
    const header = parquetHeader(reader);
    const body = file.subarray(reader.offset, reader.offset + header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    yield { header, body };
  }
}

/** Iterates over consecutive values. */
export interface Cursor<T> {
  next(): T;
  skip(count: number): void;
}

/** The PLAIN values of a page from `offset` on. */
export type PlainValues<T> = (page: Uint8Array, offset: number) => Cursor<T>;

/** A data page with its levels and its non-null values. */
export interface LeafPage<T> {
  readonly definition: Uint8Array;
  /** Empty for a flat column. */
  readonly repetition: Uint8Array;
  readonly values: Cursor<T>;
}

/** A data page that can be skipped without decompression. */
export interface ClosedPage<T> {
  /** One per row for a flat column. */
  readonly levels: number;
  open(): LeafPage<T>;
}

/** The data pages of a chunk in order. Reads only what the chunk writer writes: version 1 pages. */
export function* leafPages<T>(
  file: Uint8Array,
  chunk: PlacedChunk,
  depth: Depth,
  plain: PlainValues<T>,
): Generator<ClosedPage<T>> {
  const { nulls } = chunk.statistics;
  let dictionary: ValueOf<T> = () => {
    throw new Error("a page of places before its dictionary");
  };
  for (const { header, body } of storedPages(file, chunk)) {
    const decompressed = () => decompressPage(chunk.codec, body, header.uncompressed_page_size);
    const { data_page_header, dictionary_page_header } = header;
    if (dictionary_page_header) {
      dictionary = openedOnFirstUse(() => plain(decompressed(), 0));
    } else if (data_page_header) {
      const open = () => leafPage(decompressed(), data_page_header, { depth, nulls }, plain, dictionary);
      yield { levels: data_page_header.num_values, open };
    } else {
      throw new Error(`a page of type ${header.type} in a segment`);
    }
  }
}

const readerOf = (page: Uint8Array) => ({
  view: new DataView(page.buffer, page.byteOffset, page.byteLength),
  offset: 0,
});

/** The value at an index. */
type ValueOf<T> = (place: number) => T;

/**
 * A lazy dictionary: opened on first use and decoded up to the highest requested index; new values are requested in
 * order.
 */
const openedOnFirstUse = <T>(open: () => Cursor<T>): ValueOf<T> => {
  const decoded: T[] = [];
  let rest: Cursor<T> | null = null;
  return (place) => {
    rest ??= open();
    while (decoded.length <= place) decoded.push(rest.next());
    // It was decoded just now, or before.
    return decoded[place] as T;
  };
};

const leafPage = <T>(
  page: Uint8Array,
  { num_values, encoding }: NonNullable<PageHeader["data_page_header"]>,
  { depth, nulls }: { readonly depth: Depth; readonly nulls: number },
  plain: PlainValues<T>,
  dictionary: ValueOf<T>,
): LeafPage<T> => {
  const reader = readerOf(page);
  const repetition = new Uint8Array(depth.repetition > 0 ? num_values : 0);
  if (depth.repetition > 0) readRleBitPackedHybrid(reader, bitWidthOf(depth.repetition), repetition);
  const definition = new Uint8Array(num_values);
  if (nulls > 0) readRleBitPackedHybrid(reader, bitWidthOf(depth.definition), definition);
  else {
    definition.fill(depth.definition);
    reader.offset += 4 + reader.view.getUint32(reader.offset, true);
  }
  switch (encoding) {
    case "PLAIN":
      return { definition, repetition, values: plain(page, reader.offset) };
    case "RLE_DICTIONARY": {
      const places = new Uint32Array(nulls > 0 ? countOf(depth.definition, definition) : num_values);
      const width = reader.view.getUint8(reader.offset++);
      readRleBitPackedHybrid(reader, width, places, page.length - reader.offset);
      return { definition, repetition, values: valuesAt(places, dictionary) };
    }
    case "PLAIN_DICTIONARY":
    case "RLE":
    case "BIT_PACKED":
    case "GROUP_VAR_INT":
    case "DELTA_BINARY_PACKED":
    case "DELTA_LENGTH_BYTE_ARRAY":
    case "DELTA_BYTE_ARRAY":
    case "BYTE_STREAM_SPLIT":
      throw new Error(`a page of encoding ${encoding} in a segment`);
  }
};

const countOf = (wanted: number, levels: Uint8Array): number => {
  let count = 0;
  for (const level of levels) if (level === wanted) count++;
  return count;
};

const valuesAt = <T>(places: Uint32Array, dictionary: ValueOf<T>): Cursor<T> => {
  let at = 0;
  return {
    // A page has an index for each non-null value.
    next: () => dictionary(places[at++] as number),
    skip: (count) => {
      at += count;
    },
  };
};
