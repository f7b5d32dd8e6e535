import { ok, type Result } from "../domain/result.ts";
import { type Invalid, invalid } from "./run-change.ts";
import { unzstd } from "./zstd.ts";

/**
 * Deflate gives at most 1,032 bytes for one. Compressed bytes are fed in slices of this size, so that what one step
 * of decompression can put into memory is bounded by 16 MiB.
 */
const COMPRESSED_SLICE_BYTES = 16 * 1024;

/**
 * The body without its `Content-Encoding`: null, `identity`, `gzip` or `zstd`. Anything else is a refusal. The stream fails
 * while being read when the compressed data is broken; the readers of this folder turn that into a refusal, and they
 * bound the decoded size.
 */
export function decodeBody(
  body: ReadableStream<Uint8Array>,
  contentEncoding: string | null,
): Result<ReadableStream<Uint8Array>, Invalid> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  switch (encoding) {
    case "":
    case "identity":
      return ok(body);
    case "gzip":
    case "x-gzip":
      return ok(body.pipeThrough(inSlices()).pipeThrough(gunzip()));
    case "zstd":
      return ok(unzstd(body));
  }
  return invalid(["header", "content-encoding"], "must be identity, gzip or zstd", "content_encoding");
}

function inSlices(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += COMPRESSED_SLICE_BYTES)
        controller.enqueue(chunk.subarray(at, at + COMPRESSED_SLICE_BYTES));
    },
  });
}

/** The platform's types leave open which kind of buffer stands behind the bytes, hence the cast. */
const gunzip = () => new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
