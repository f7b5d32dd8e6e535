import type { ColumnChunk, FileMetaData, Statistics as FooterStatistics, SchemaElement } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import type { Compression } from "../domain/shared/format.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import type { PageEncoding } from "./chunk.ts";
import { COLUMNS, type ColumnName } from "./columns.ts";
import { codecOfFooter, footerCodec } from "./encoding/codec.ts";
import type { Bound, Statistics } from "./encoding/statistics.ts";
import type { FileSchema } from "./schema.ts";

type PageEncodingStats = NonNullable<NonNullable<ColumnChunk["meta_data"]>["encoding_stats"]>[number];

/** First and last four bytes of a Parquet file: "PAR1". */
export const MAGIC = new Uint8Array([0x50, 0x41, 0x52, 0x31]);

/** Bytes after the metadata: its length and the magic. */
const FOOTER_END_BYTES = 8;

/** A column chunk with its offset in a file. Its bloom filter, if any, directly follows it. */
export interface PlacedChunk {
  readonly column: ColumnName;
  readonly codec: Compression;
  readonly offset: number;
  readonly bytes: number;
  readonly rawBytes: number;
  readonly dictionaryBytes: number | null;
  readonly bloomBytes: number;
  readonly values: number;
  readonly pages: ReadonlyMap<PageEncoding, number>;
  readonly statistics: Statistics;
}

/** One row group: the rows and the chunks of a segment. */
export interface RowGroup {
  readonly rows: number;
  /** In the order of their offsets. */
  readonly chunks: readonly PlacedChunk[];
}

/** The footer of a segment, which has one row group. */
export type Footer = RowGroup;

export type FooterFailure =
  | { readonly reason: "tail_too_short"; readonly neededBytes: number }
  | { readonly reason: "not_a_segment"; readonly message: string };

/**
 * Reads the footer of a segment from the last bytes of the file. If they are too few, `neededBytes` is the number of
 * last bytes that contain it.
 */
export const readFooter = (tail: Uint8Array): Result<Footer, FooterFailure> => {
  if (tail.length < FOOTER_END_BYTES) return fail({ reason: "tail_too_short", neededBytes: FOOTER_END_BYTES });
  if (!MAGIC.every((byte, index) => tail[tail.length - MAGIC.length + index] === byte)) {
    return fail({ reason: "not_a_segment", message: "the last bytes are not those of a Parquet file" });
  }
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const neededBytes = view.getUint32(tail.length - FOOTER_END_BYTES, true) + FOOTER_END_BYTES;
  if (neededBytes > tail.length) return fail({ reason: "tail_too_short", neededBytes });
  try {
    return ok(footerOf(parquetMetadata(tail, { parsers: RAW_BOUNDS, geoparquet: false })));
  } catch (error) {
    return fail({ reason: "not_a_segment", message: error instanceof Error ? error.message : String(error) });
  }
};

/** The end of a whole file, from its metadata on: enough for `readFooter`. */
export const footerOfFile = (file: Uint8Array): Uint8Array => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  return file.slice(file.length - FOOTER_END_BYTES - view.getUint32(file.length - FOOTER_END_BYTES, true));
};

/**
 * The end of a file with the given row groups: metadata, its length and the magic. `schema` selects the chunks and
 * their annotations. Deterministic: equal input gives equal bytes.
 */
export const writeFooter = (schema: FileSchema, groups: readonly RowGroup[]): Uint8Array => {
  const writer = new ByteWriter(4096);
  const metadata: FileMetaData = {
    version: 1,
    schema: [...schema.elements],
    num_rows: BigInt(groups.reduce((rows, group) => rows + group.rows, 0)),
    row_groups: groups.map((group) => rowGroupOf(schema, group)),
    created_by: "waybill",
    metadata_length: 0,
  };
  // The bounds are truncated already, and marked as such.
  writeMetadata(writer, metadata, Number.POSITIVE_INFINITY);
  writer.appendBytes(MAGIC);
  return writer.getBytes();
};

const rowGroupOf = (schema: FileSchema, group: RowGroup): FileMetaData["row_groups"][number] => {
  const chunkOf = new Map(group.chunks.map((chunk) => [chunk.column, chunk]));
  const placed = schema.leaves.map(({ column, path }) => {
    const chunk = chunkOf.get(column);
    if (!chunk) throw new Error(`a row group has no column ${column}`);
    return { chunk, path };
  });
  const sum = (of: (chunk: PlacedChunk) => number): bigint =>
    BigInt(placed.reduce((total, { chunk }) => total + of(chunk), 0));
  const elementOf = leafElements(schema.elements);
  return {
    columns: placed.map(({ chunk, path }, index) => columnOf(chunk, path, elementOf[index])),
    total_byte_size: sum((chunk) => chunk.rawBytes),
    num_rows: BigInt(group.rows),
    // Our chunks are not in schema order; without this, readers take the offset of the first column as that of the
    // group.
    file_offset: BigInt(Math.min(...placed.map(({ chunk }) => chunk.offset))),
    total_compressed_size: sum((chunk) => chunk.bytes),
  };
};

const leafElements = (elements: readonly SchemaElement[]): readonly SchemaElement[] =>
  elements.filter((element) => element.type !== undefined);

const columnOf = (chunk: PlacedChunk, path: readonly string[], element: SchemaElement | undefined): ColumnChunk => {
  if (!element?.type) throw new Error(`the schema has no type for ${path.join(".")}`);
  const { dictionaryBytes, offset, pages, bloomBytes } = chunk;
  const encodingStats: PageEncodingStats[] = [];
  if (dictionaryBytes !== null) encodingStats.push({ page_type: "DICTIONARY_PAGE", encoding: "PLAIN", count: 1 });
  for (const [encoding, count] of pages) encodingStats.push({ page_type: "DATA_PAGE", encoding, count });
  return {
    file_offset: BigInt(offset),
    meta_data: {
      type: element.type,
      encodings: [...new Set<PageEncoding | "RLE">([...encodingStats.map((stat) => pageEncoding(stat)), "RLE"])],
      path_in_schema: [...path],
      codec: footerCodec(chunk.codec),
      num_values: BigInt(chunk.values),
      total_uncompressed_size: BigInt(chunk.rawBytes),
      total_compressed_size: BigInt(chunk.bytes),
      data_page_offset: BigInt(offset + (dictionaryBytes ?? 0)),
      ...(dictionaryBytes === null ? {} : { dictionary_page_offset: BigInt(offset) }),
      statistics: footerStatistics(chunk.statistics),
      encoding_stats: encodingStats,
      ...(bloomBytes === 0
        ? {}
        : { bloom_filter_offset: BigInt(offset + chunk.bytes), bloom_filter_length: bloomBytes }),
    },
  };
};

const pageEncoding = (stat: PageEncodingStats): PageEncoding => {
  if (stat.encoding === "PLAIN" || stat.encoding === "RLE_DICTIONARY") return stat.encoding;
  throw new Error(`pages of encoding ${stat.encoding} are not ours`);
};

const footerStatistics = ({ nulls, bounds }: Statistics): FooterStatistics => ({
  null_count: BigInt(nulls),
  ...(bounds === null
    ? {}
    : {
        max_value: bounds.max,
        min_value: bounds.min,
        is_max_value_exact: bounds.maxExact,
        is_min_value_exact: bounds.minExact,
      }),
});

/** Bounds as stored, so that they are written unchanged. */
const RAW_BOUNDS = {
  stringFromBytes: (bytes: Uint8Array) => bytes.slice(),
  timestampFromMicroseconds: (micros: bigint) => micros,
};

const footerOf = (metadata: FileMetaData): Footer => {
  const [group, another] = metadata.row_groups;
  if (!group || another) throw new Error(`a segment has one row group, this file ${metadata.row_groups.length}`);
  const chunks = group.columns.map(placedChunk).sort((a, b) => a.offset - b.offset);
  return { rows: Number(group.num_rows), chunks };
};

const placedChunk = ({ meta_data }: ColumnChunk): PlacedChunk => {
  const name = meta_data?.path_in_schema[0];
  if (!meta_data || name === undefined || !isColumnName(name)) throw new Error(`no column of a segment: ${name}`);
  const codec = codecOfFooter(meta_data.codec);
  if (codec === null) throw new Error(`pages of codec ${meta_data.codec} are not ours`);
  const { dictionary_page_offset, statistics } = meta_data;
  // Levels need not be read where there are no nulls, so the count must be known.
  if (statistics?.null_count === undefined) throw new Error(`the column ${name} does not say how many nulls it has`);
  const dataOffset = Number(meta_data.data_page_offset);
  const offset = Number(dictionary_page_offset ?? meta_data.data_page_offset);
  const dataPages = (meta_data.encoding_stats ?? []).filter((stat) => stat.page_type === "DATA_PAGE");
  return {
    column: name,
    codec,
    offset,
    bytes: Number(meta_data.total_compressed_size),
    rawBytes: Number(meta_data.total_uncompressed_size),
    dictionaryBytes: dictionary_page_offset === undefined ? null : dataOffset - offset,
    bloomBytes: meta_data.bloom_filter_length ?? 0,
    values: Number(meta_data.num_values),
    pages: new Map(dataPages.map((stat) => [pageEncoding(stat), stat.count])),
    statistics: {
      nulls: Number(statistics.null_count),
      bounds: boundsOf(statistics),
    },
  };
};

const boundsOf = (statistics: FooterStatistics | undefined): Statistics["bounds"] => {
  if (statistics?.min_value === undefined || statistics.max_value === undefined) return null;
  return {
    min: boundOf(statistics.min_value),
    max: boundOf(statistics.max_value),
    minExact: statistics.is_min_value_exact === true,
    maxExact: statistics.is_max_value_exact === true,
  };
};

const boundOf = (value: NonNullable<FooterStatistics["min_value"]>): Bound => {
  if (typeof value === "string" || value instanceof Date) throw new Error("bounds are read raw");
  return value;
};

const isColumnName = (name: string): name is ColumnName => Object.hasOwn(COLUMNS, name);
