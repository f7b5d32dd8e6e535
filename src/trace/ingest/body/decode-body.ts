import { createGunzip } from "node:zlib";
import { ok, type Result } from "../../../domain/shared/result.ts";
import { type Invalid, invalid } from "../../run/change.ts";
import { CHUNK_BYTES, decompressed } from "./decompressed.ts";
import { unzstd } from "./zstd.ts";

/**
 * The body without its `Content-Encoding`: null, `identity`, `gzip` or `zstd`. Anything else is a refusal. If the
 * compressed data is broken, the stream fails during the read; the readers of this folder turn that into a refusal.
 * They also limit the decoded size.
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
      return ok(gunzip(body));
    case "zstd":
      return ok(unzstd(body));
  }
  return invalid(["header", "content-encoding"], "must be identity, gzip or zstd", "content_encoding");
}

/** The platform's own decoder refuses a body with several members, which RFC 1952, 2.2, allows. */
const gunzip = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  decompressed(body, createGunzip({ chunkSize: CHUNK_BYTES }));
