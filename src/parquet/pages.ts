import type { PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { decompressPage } from "./codec.ts";
import type { PlacedChunk } from "./footer.ts";
import { bitWidthOf, type Depth } from "./levels.ts";

/** A page as it stands in a file. */
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

/** Reads `count` PLAIN values from `offset` on. */
export type PlainDecoder<T> = (page: Uint8Array, offset: number, count: number) => T[];

/** A data page with its levels and those of its values that are set. */
export interface LeafPage<T> {
  readonly definition: Uint8Array;
  /** Empty for a flat column. */
  readonly repetition: Uint8Array;
  readonly values: readonly T[];
}

/** The data pages of a chunk, decoded one at a time. Reads what the chunk writer writes: version 1 pages only. */
export function* leafPages<T>(
  file: Uint8Array,
  chunk: PlacedChunk,
  depth: Depth,
  decode: PlainDecoder<T>,
): Generator<LeafPage<T>> {
  let dictionary: readonly T[] = [];
  for (const { header, body } of storedPages(file, chunk)) {
    const page = decompressPage(chunk.codec, body, header.uncompressed_page_size);
    const { data_page_header, dictionary_page_header } = header;
    if (dictionary_page_header) {
      dictionary = decode(page, 0, dictionary_page_header.num_values);
    } else if (data_page_header) {
      yield leafPage(page, data_page_header, depth, decode, dictionary);
    } else {
      throw new Error(`a page of type ${header.type} in a segment`);
    }
  }
}

const leafPage = <T>(
  page: Uint8Array,
  { num_values, encoding }: NonNullable<PageHeader["data_page_header"]>,
  depth: Depth,
  decode: PlainDecoder<T>,
  dictionary: readonly T[],
): LeafPage<T> => {
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
  const repetition = new Uint8Array(depth.repetition > 0 ? num_values : 0);
  if (depth.repetition > 0) readRleBitPackedHybrid(reader, bitWidthOf(depth.repetition), repetition);
  const definition = new Uint8Array(num_values);
  readRleBitPackedHybrid(reader, bitWidthOf(depth.definition), definition);
  let count = 0;
  for (const level of definition) if (level === depth.definition) count++;
  switch (encoding) {
    case "PLAIN":
      return { definition, repetition, values: decode(page, reader.offset, count) };
    case "RLE_DICTIONARY": {
      const places = new Uint32Array(count);
      const width = reader.view.getUint8(reader.offset++);
      readRleBitPackedHybrid(reader, width, places, page.length - reader.offset);
      // Places of a dictionary that stands before the page.
      return { definition, repetition, values: Array.from(places, (place) => dictionary[place] as T) };
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
