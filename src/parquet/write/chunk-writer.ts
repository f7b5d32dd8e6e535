import type { PageHeader } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import type { Compression } from "../../domain/shared/format.ts";
import type { EncodedChunk, PageEncoding } from "../chunk.ts";
import type { ColumnName } from "../columns.ts";
import { compressPage } from "../encoding/codec.ts";
import type { Statistics } from "../encoding/statistics.ts";

/** Compresses each page body of one chunk at once and keeps only the compressed bytes. */
export class ChunkWriter {
  readonly column: ColumnName;
  readonly codec: Compression;
  readonly #parts: Uint8Array[] = [];
  readonly #pages = new Map<PageEncoding, number>();
  #bytes = 0;
  #rawBytes = 0;
  #dictionaryBytes: number | null = null;
  #values = 0;

  constructor(column: ColumnName, codec: Compression) {
    this.column = column;
    this.codec = codec;
  }

  /** Compressed bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `body`: the distinct values in PLAIN encoding. Must be called before any data page. */
  dictionaryPage(body: Uint8Array, values: number): void {
    const compressed = compressPage(this.codec, body);
    this.#append(
      {
        type: "DICTIONARY_PAGE",
        uncompressed_page_size: body.length,
        compressed_page_size: compressed.length,
        dictionary_page_header: { num_values: values, encoding: "PLAIN" },
      },
      compressed,
    );
    this.#dictionaryBytes = this.#bytes;
  }

  /** `body`: levels, then values. `values` includes nulls. */
  dataPage(body: Uint8Array, values: number, encoding: PageEncoding): void {
    const compressed = compressPage(this.codec, body);
    this.#append(
      {
        type: "DATA_PAGE",
        uncompressed_page_size: body.length,
        compressed_page_size: compressed.length,
        data_page_header: {
          num_values: values,
          encoding,
          definition_level_encoding: "RLE",
          repetition_level_encoding: "RLE",
        },
      },
      compressed,
    );
    this.#values += values;
    this.#pages.set(encoding, (this.#pages.get(encoding) ?? 0) + 1);
  }

  finish(statistics: Statistics, bloom: Uint8Array | null): EncodedChunk {
    return {
      column: this.column,
      codec: this.codec,
      parts: this.#parts,
      bytes: this.#bytes,
      rawBytes: this.#rawBytes,
      dictionaryBytes: this.#dictionaryBytes,
      values: this.#values,
      pages: this.#pages,
      statistics,
      bloom,
    };
  }

  #append(header: PageHeader, compressed: Uint8Array): void {
    const writer = new ByteWriter(64);
    writePageHeader(writer, header);
    const headerBytes = writer.getBytes();
    this.#parts.push(headerBytes, compressed);
    this.#bytes += headerBytes.length + compressed.length;
    this.#rawBytes += headerBytes.length + header.uncompressed_page_size;
  }
}
