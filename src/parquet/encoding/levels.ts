import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";

/** Buffered definition or repetition levels: one small number per value of a leaf. */
export class Levels {
  #bytes = new Uint8Array(256);
  length = 0;

  add(level: number): void {
    if (this.length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.length++] = level;
  }

  clear(): void {
    this.length = 0;
  }

  filled(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Maximum definition and repetition level of a leaf: 1 and 0 for a flat nullable column, 3 and 1 for a LIST. */
export interface Depth {
  readonly definition: number;
  readonly repetition: number;
}

export const FLAT: Depth = { definition: 1, repetition: 0 };
export const LISTED: Depth = { definition: 3, repetition: 1 };

/** Bits for every level from 0 to `greatest`. */
export const bitWidthOf = (greatest: number): number => 32 - Math.clz32(greatest);

/**
 * Levels at the start of a version 1 data page: repetition levels if the leaf has any, then definition levels, each
 * after four bytes of length.
 */
export const encodeLevels = (depth: Depth, definition: Uint8Array, repetition: Uint8Array): Uint8Array => {
  const writer = new ByteWriter(64);
  if (depth.repetition > 0) appendLevels(writer, repetition, depth.repetition);
  appendLevels(writer, definition, depth.definition);
  return writer.getBytes();
};

const appendLevels = (writer: ByteWriter, levels: Uint8Array, greatest: number): void => {
  const lengthAt = writer.index;
  writer.appendUint32(0);
  const written = writeRleBitPackedHybrid(writer, levels, bitWidthOf(greatest));
  writer.view.setUint32(lengthAt, written, true);
};
