import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../../src/trace/ingest/body/decode-body.ts";
import { readBatch } from "../../../src/trace/ingest/read-batch.ts";
import { collect, PARENT_ID, RUN_ID, START, streamOf } from "../samples.ts";

const run = (id: string) => ({ id, start_time: START });
const body = JSON.stringify({ post: [run(RUN_ID), run(PARENT_ID)] });
const plain = new TextEncoder().encode(body);

const decoded = (raw: Uint8Array, encoding: string | null, chunkBytes = 50) => {
  const stream = decodeBody(streamOf(raw, chunkBytes), encoding);
  if (!stream.ok) throw new Error(stream.failure.message);
  return stream.value;
};
const readIn = async (raw: Uint8Array, encoding: string, chunkBytes?: number) =>
  collect(readBatch(decoded(raw, encoding, chunkBytes)));
const bytesOf = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).arrayBuffer());

describe("Content-Encoding", () => {
  it.each([
    ["none", plain, null],
    ["identity", plain, "identity"],
    ["gzip", gzipSync(body), "GZIP"],
    ["zstd", zstdCompressSync(body), "Zstd"],
  ])("may be %s", async (_, raw, encoding) => {
    expect((await collect(readBatch(decoded(raw, encoding)))).accepted).toHaveLength(2);
  });

  it("of another kind is refused", () => {
    expect(decodeBody(streamOf(body), "br")).toMatchObject({ ok: false, failure: { type: "content_encoding" } });
  });

  it.each([
    ["invalid gzip", plain, "gzip"],
    ["truncated gzip", gzipSync(body).subarray(0, 60), "gzip"],
    ["gzip truncated in its second member", Buffer.concat([gzipSync(""), gzipSync(body).subarray(0, 60)]), "gzip"],
    ["gzip followed by other bytes", Buffer.concat([gzipSync(body), plain]), "gzip"],
    ["invalid zstd", plain, "zstd"],
    ["truncated zstd", zstdCompressSync(body).subarray(0, 60), "zstd"],
    ["zstd truncated in its checksum", withChecksum(body).subarray(0, -1), "zstd"],
    ["zstd with a wrong checksum", changedAtEnd(withChecksum(body)), "zstd"],
    ["zstd followed by other bytes", Buffer.concat([zstdCompressSync(body), plain]), "zstd"],
    ["zstd with a window of 128 MiB", frameWithWindow(27), "zstd"],
  ])("is refused: %s", async (_, raw, encoding) => {
    expect((await readIn(raw, encoding)).refused.at(-1)).toMatchObject({ type: "body_broken" });
  });

  it("may be zstd with a window of up to 8 MiB", async () => {
    expect(await bytesOf(decoded(frameWithWindow(23), "zstd"))).toEqual(Buffer.from(" "));
  });

  it.each(["gzip", "zstd"])("cannot be a decompression bomb: the size decoded from %s is bounded", async (encoding) => {
    const spaces = new Uint8Array(40 * 1024 * 1024).fill(0x20);
    const bomb = encoding === "gzip" ? gzipSync(spaces) : zstdCompressSync(spaces);
    const { refused } = await collect(readBatch(decoded(bomb, encoding, 100_000), 1024 * 1024));
    expect(refused).toMatchObject([{ type: "too_large" }]);
  });
});

const words = Buffer.from(Array.from({ length: 60_000 }, (_, n) => `${n * n} `).join(""));

it.each([1, 13, 4096, 1_000_000])("gzip may have several members, in chunks of %d bytes", async (chunkBytes) => {
  const longest = chunkBytes === 1 ? 4096 : words.length;
  const pieces = [longest, 10, 0, 2000, 1].map((length, n) => words.subarray(n * 100, n * 100 + length));
  const members = Buffer.concat(pieces.map((piece) => gzipSync(piece)));
  expect((await bytesOf(decoded(members, "gzip", chunkBytes))).equals(Buffer.concat(pieces))).toBe(true);
});

it("gzip of many members cannot be a decompression bomb", async () => {
  const spaces = gzipSync(new Uint8Array(1024 * 1024).fill(0x20));
  const members = Buffer.concat(Array.from({ length: 40 }, () => spaces));
  const { refused } = await collect(readBatch(decoded(members, "gzip", 100_000), 4 * 1024 * 1024));
  expect(refused).toMatchObject([{ type: "too_large" }]);
});

describe("zstd", () => {
  it.each([1, 97, 4096, 1_000_000])(
    "of any length is decoded completely from chunks of %d bytes",
    async (chunkBytes) => {
      const lengths = chunkBytes === 1 ? [0, 1, 4096] : [0, 1, 40 * 1024, 64 * 1024, 128 * 1024, words.length];
      for (const length of lengths) {
        const part = words.subarray(0, length);
        for (const raw of [zstdCompressSync(part), withChecksum(part)])
          expect((await bytesOf(decoded(raw, "zstd", chunkBytes))).equals(part)).toBe(true);
      }
    },
  );

  it.each([1, 13, 4096, 1_000_000])("may have several frames, in chunks of %d bytes", async (chunkBytes) => {
    const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const emptySkippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
    const pieces = [10, 0, 2000, 1].map((length, n) => words.subarray(n * 100, n * 100 + length));
    const frames = pieces.flatMap((piece) => [skippable, zstdCompressSync(piece), emptySkippable, withChecksum(piece)]);
    const whole = Buffer.concat(pieces.flatMap((piece) => [piece, piece]));
    expect((await bytesOf(decoded(Buffer.concat(frames), "zstd", chunkBytes))).equals(whole)).toBe(true);
  });
});

function withChecksum(content: string | Uint8Array): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function changedAtEnd(bytes: Uint8Array): Uint8Array {
  const changed = new Uint8Array(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}

/** A frame of one stored byte. */
function frameWithWindow(log: number): Uint8Array {
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, 0x09, 0, 0, 0x20);
}
