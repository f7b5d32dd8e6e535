import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { CompressionCodec } from "hyparquet";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import type { Compression } from "../../domain/shared/format.ts";

/** Page codecs. Every function returns bytes with exactly their own memory, so a page keeps no larger buffer alive. */

/** On run data, levels above 3 cost much time and save little. */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 3 };
/** The default level of gzip. */
const GZIP_LEVEL = 6;
/**
 * The Workers runtime truncates zstd's one-shot output if it exceeds its first buffer of 40 KiB
 * (cloudflare/workerd#6769). Pages that certainly fit when compressed, even if incompressible, are compressed in one
 * shot; larger ones are flushed instead of ended, and this code writes the last block.
 */
const ONE_SHOT_BYTES = 40_000;
/** Header of an empty last block (RFC 8878, 3.1.1.2): the encoder itself writes it when it ends after a flush. */
const LAST_BLOCK = new Uint8Array([1, 0, 0]);
/** Minimum size of an output chunk: small for small pages, because each chunk is allocated whole. */
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 512 * 1024;

const FOOTER_CODECS = {
  zstandard: "ZSTD",
  snappy: "SNAPPY",
  gzip: "GZIP",
  none: "UNCOMPRESSED",
} as const satisfies Record<Compression, CompressionCodec>;

/** The codec's name in a footer. */
export const footerCodec = (codec: Compression): CompressionCodec => FOOTER_CODECS[codec];

/** The codec with this name in a footer; null: not one of ours. */
export const codecOfFooter = (name: CompressionCodec): Compression | null => {
  for (const codec of ["zstandard", "snappy", "gzip", "none"] as const) {
    if (FOOTER_CODECS[codec] === name) return codec;
  }
  return null;
};

/** Compresses one page. Equal input gives equal bytes: no time, no file name, no dictionary across pages. */
export const compressPage = (codec: Compression, page: Uint8Array): Uint8Array => {
  const chunkSize = Math.min(Math.max(page.length, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
  switch (codec) {
    case "zstandard":
      return zstdCompress(page, chunkSize);
    case "gzip":
      return owned(gzipSync(page, { level: GZIP_LEVEL, chunkSize }));
    case "snappy":
      return owned(snappyCompress(page));
    case "none":
      return page.slice();
  }
};

const zstdCompress = (page: Uint8Array, chunkSize: number): Uint8Array => {
  if (page.length <= ONE_SHOT_BYTES) return owned(zstdCompressSync(page, { params: ZSTD_PARAMS, chunkSize }));
  const finishFlush = constants.ZSTD_e_flush;
  // With the size, the frame's header contains it, as in a one-shot frame.
  const flushed = { params: ZSTD_PARAMS, chunkSize, finishFlush, pledgedSrcSize: page.length };
  const blocks = zstdCompressSync(page, flushed);
  const frame = new Uint8Array(blocks.length + LAST_BLOCK.length);
  frame.set(blocks);
  frame.set(LAST_BLOCK, blocks.length);
  return frame;
};

/** Decompresses a page of known size, as a view. Throws if the page does not match its header. */
export const decompressPage = (codec: Compression, page: Uint8Array, size: number): Uint8Array => {
  const restored = decompress(codec, page, size);
  if (restored.length !== size) throw new Error(`a page of ${size} bytes restores to ${restored.length}`);
  return restored;
};

const decompress = (codec: Compression, page: Uint8Array, size: number): Uint8Array => {
  // Larger than the page: otherwise zlib would allocate another chunk to detect the end.
  const chunkSize = size + MIN_CHUNK_BYTES;
  switch (codec) {
    case "zstandard":
      // Without the flush the Workers runtime refuses pages of whole multiples of 40 KiB; see ONE_SHOT_BYTES.
      return bare(zstdDecompressSync(page, { chunkSize, finishFlush: constants.ZSTD_e_flush }));
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

/** zlib and the snappy writer return views on larger buffers. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bare(bytes) : new Uint8Array(bytes);

/** zlib returns Buffers, whose methods differ from those of Uint8Array. */
const bare = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
