import type { Encoding } from "hyparquet";
import type { Compression } from "../domain/shared/format.ts";
import type { ColumnName } from "./columns.ts";
import type { Statistics } from "./encoding/statistics.ts";

/** The encodings of our data pages. Some warehouses read no newer ones [FIL-10]. */
export type PageEncoding = Extract<Encoding, "PLAIN" | "RLE_DICTIONARY">;

/** One finished column chunk, without an offset in a file. */
export interface EncodedChunk {
  readonly column: ColumnName;
  readonly codec: Compression;
  /** Page headers and pages alternate; a dictionary page comes first. */
  readonly parts: readonly Uint8Array[];
  /** Total size of the parts. */
  readonly bytes: number;
  /** Total size before compression, including page headers. */
  readonly rawBytes: number;
  /** Bytes of the dictionary page with its header; null without one. */
  readonly dictionaryBytes: number | null;
  /** Values of the leaf, including nulls. */
  readonly values: number;
  /** Number of data pages per encoding. */
  readonly pages: ReadonlyMap<PageEncoding, number>;
  readonly statistics: Statistics;
  /** Bloom filter with its header, to be written directly after the chunk; null without one. */
  readonly bloom: Uint8Array | null;
}
