import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compressPage, decompressPage } from "../../src/parquet/encoding/codec.ts";
import { equalBytes } from "./files.ts";

/** Around the sizes of the buffers of zlib and of the Workers runtime, and of the blocks of zstd. */
const SIZES = [0, 1, 1023, 1024, 39_999, 40_000, 40_001, 40_960, 81_920, 131_072, 1_048_576, 1_048_577, 5_242_880];
const CODECS = ["zstandard", "snappy", "gzip", "none"] as const;

const PAGES = {
  zeros: (size: number) => new Uint8Array(size),
  noise: (size: number) => {
    const page = new Uint8Array(size);
    let state = 1;
    for (let at = 0; at < size; at += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      page[at] = state >>> 24;
    }
    return page;
  },
  text: (size: number) =>
    new TextEncoder()
      .encode(
        Array.from({ length: Math.ceil(size / 6) }, (_, n) => `${n % 7919} `)
          .join("")
          .padEnd(size),
      )
      .subarray(0, size),
};

describe("a page", () => {
  it.each(CODECS)("of any size and content is restored from %s", (codec) => {
    for (const [name, make] of Object.entries(PAGES)) {
      for (const size of SIZES) {
        const page = make(size);
        const compressed = compressPage(codec, page);
        expect(equalBytes(decompressPage(codec, compressed, size), page), `${name} ${size}`).toBe(true);
        expect(compressed.byteLength, "keeps no larger buffer alive").toBe(compressed.buffer.byteLength);
      }
    }
  });

  it("is one complete frame that any zstd or gzip reads", () => {
    for (const size of SIZES) {
      const page = PAGES.noise(size);
      expect(equalBytes(zstdDecompressSync(compressPage("zstandard", page)), page)).toBe(true);
      expect(equalBytes(gunzipSync(compressPage("gzip", page)), page)).toBe(true);
    }
  });

  it.each(["zstandard", "none"] as const)("is refused when its size differs from its header, in %s", (codec) => {
    const compressed = compressPage(codec, PAGES.noise(1000));
    expect(() => decompressPage(codec, compressed, 999)).toThrow();
    expect(() => decompressPage(codec, compressed.subarray(0, 500), 1000)).toThrow();
  });
});
