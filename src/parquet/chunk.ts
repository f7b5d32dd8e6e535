import type { Encoding } from "hyparquet";
import type { Compression } from "../domain/shared/format.ts";
import type { ColumnName } from "./columns.ts";
import type { Statistics } from "./encoding/statistics.ts";

/** The encodings of our data pages. Nothing newer: some warehouses read no other [FIL-10]. */
export type PageEncoding = Extract<Encoding, "PLAIN" | "RLE_DICTIONARY">;

/** One finished column chunk, not yet at a place in a file. */
export interface EncodedChunk {
  readonly column: ColumnName;
  readonly codec: Compression;
  /** Page headers and pages in turn; a dictionary page stands first. */
  readonly parts: readonly Uint8Array[];
  /** Sum of the parts. */
  readonly bytes: number;
  /** The same before compression, page headers included. */
  readonly rawBytes: number;
  /** Bytes of the dictionary page with its header; null without one. */
  readonly dictionaryBytes: number | null;
  /** Values of the leaf, nulls included. */
  readonly values: number;
  /** How many data pages have which encoding. */
  readonly pages: ReadonlyMap<PageEncoding, number>;
  readonly statistics: Statistics;
  /** Bloom filter with its header, to stand directly behind the chunk; null without one. */
  readonly bloom: Uint8Array | null;
}
