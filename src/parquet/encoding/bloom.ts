import { readBloomFilter, sbbfContains } from "hyparquet/src/bloom.js";
import { optimalNumBytes, writeBloomFilter } from "hyparquet-writer/src/bloom.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ByteBuffer } from "./byte-buffer.ts";
import { xxhash64 } from "./xxhash.ts";

/**
 * False positive rate: share of row groups that are read in vain by a search for one value. The usual choice, about ten
 * bits per value.
 */
const FALSE_POSITIVES = 0.01;

/** One odd multiplier for each word of a block (parquet-format, BloomFilter.md). */
const SALT = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31] as const;

/** Bytes of the PLAIN length prefix. The hash excludes it. */
const PREFIX_BYTES = 4;

/**
 * Split block bloom filter over the UTF-8 of strings, with its header; null without strings. Ids are random, so bounds
 * cannot locate one; a bloom filter can.
 */
export const bloomFilterOf = (values: readonly string[]): Uint8Array | null => {
  if (values.length === 0) return null;
  const words = new Uint32Array(optimalNumBytes(values.length, FALSE_POSITIVES) / 4);
  const blocks = words.length / SALT.length;
  const text = new ByteBuffer(256);
  for (const value of values) {
    text.length = 0;
    text.appendPrefixedText(value);
    const { high, low } = xxhash64(text.bytes, PREFIX_BYTES, text.length);
    const block = Math.floor(((high >>> 0) * blocks) / 2 ** 32) * SALT.length;
    for (let word = 0; word < SALT.length; word++) {
      // Both are inside their bounds.
      const bit = Math.imul(low, SALT[word] as number) >>> 27;
      words[block + word] = (words[block + word] as number) | (1 << bit);
    }
  }
  const writer = new ByteWriter(64 + words.byteLength);
  writeBloomFilter(writer, words);
  return writer.getBytes();
};

/** Whether the filter may contain the string; false is certain. */
export const mayHold = (bloom: Uint8Array, value: string): boolean => {
  const view = new DataView(bloom.buffer, bloom.byteOffset, bloom.byteLength);
  const filter = readBloomFilter({ view, offset: 0 });
  if (filter === undefined) return true;
  const text = new TextEncoder().encode(value);
  const { high, low } = xxhash64(text, 0, text.length);
  return sbbfContains(filter.blocks, (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0));
};
