import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { CompressionCodec } from "hyparquet";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import type { Compression } from "../domain/fields.ts";

/** Page codecs. Every function answers bytes that own their memory exactly, so keeping a page keeps nothing else. */

/** Level 3 is where zstd's ratio and speed meet on run data (performance notes, section 2c). */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 3 };
/** gzip's usual middle. */
const GZIP_LEVEL = 6;
/** Output is gathered in chunks of this size: small for small pages, since each chunk is allocated whole. */
const LEAST_CHUNK_BYTES = 1024;
const MOST_CHUNK_BYTES = 512 * 1024;

const FOOTER_CODECS = {
  zstandard: "ZSTD",
  snappy: "SNAPPY",
  gzip: "GZIP",
  none: "UNCOMPRESSED",
} as const satisfies Record<Compression, CompressionCodec>;

/** The codec's name in a footer. */
export const footerCodec = (codec: Compression): CompressionCodec => FOOTER_CODECS[codec];

/** The codec of a footer's name; null when no page of ours can have it. */
export const codecOfFooter = (name: CompressionCodec): Compression | null => {
  for (const codec of ["zstandard", "snappy", "gzip", "none"] as const) {
    if (FOOTER_CODECS[codec] === name) return codec;
  }
  return null;
};

/** Compresses one page. Equal input gives equal bytes: no time, no file name, no dictionary across pages. */
export const compressPage = (codec: Compression, page: Uint8Array): Uint8Array => {
  const chunkSize = Math.min(Math.max(page.length, LEAST_CHUNK_BYTES), MOST_CHUNK_BYTES);
  switch (codec) {
    case "zstandard":
      return owned(zstdCompressSync(page, { params: ZSTD_PARAMS, chunkSize }));
    case "gzip":
      return owned(gzipSync(page, { level: GZIP_LEVEL, chunkSize }));
    case "snappy":
      return owned(snappyCompress(page));
    case "none":
      return page.slice();
  }
};

/** Restores a page of known size, as a view. */
export const decompressPage = (codec: Compression, page: Uint8Array, size: number): Uint8Array => {
  // Room for one byte more than the page, or zlib would ask for another chunk to see that there is no more.
  const chunkSize = size + LEAST_CHUNK_BYTES;
  switch (codec) {
    case "zstandard":
      return bare(zstdDecompressSync(page, { chunkSize }));
    case "gzip":
      return bare(gunzipSync(page, { chunkSize }));
    case "snappy": {
      const restored = new Uint8Array(size);
      snappyUncompress(page, restored);
      return restored;
    }
    case "none":
      return bare(page);
  }
};

/** zlib and the snappy writer answer views on larger buffers. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bare(bytes) : new Uint8Array(bytes);

/** zlib answers Buffers, whose methods differ from those of the arrays they extend. */
const bare = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
