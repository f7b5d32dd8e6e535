import { COLUMNS } from "../columns.ts";
import { ByteBuffer } from "../encoding/byte-buffer.ts";
import { type Depth, encodeLevels, Levels } from "../encoding/levels.ts";
import type { ChunkWriter } from "./chunk-writer.ts";

/**
 * A page is closed when its values exceed this size; a larger value has a page of its own. A reader of one row opens
 * its whole page, so pages are small unless that costs compression. Messages to and from models repeat those of other
 * runs of the trace and compress well only in the same page: their pages are large.
 */
const PAGE_BYTES = 128 * 1024;
const LARGE_PAGE_BYTES = 1024 * 1024;
/** Most levels of a page, which also limits a page of nulls; the limit of the usual Java writer. */
export const PAGE_VALUES = 20_000;

/**
 * Space before the values for the levels, which are written when the page closes, so that a page is compressed in
 * place. 20,000 levels of one bit need 2.5 KB; lists, which may need more, are small and are copied.
 */
const LEVELS_ROOM = 4096;
const FIRST_BUFFER_BYTES = 16 * 1024;

/**
 * PLAIN data pages of one chunk, written value by value: call `open` for each level and append the value, if any, to
 * the returned buffer. Memory is one page for any number of values.
 */
export class PlainPages {
  readonly #chunk: ChunkWriter;
  readonly #depth: Depth;
  readonly #pageBytes: number;
  #body = new ByteBuffer(FIRST_BUFFER_BYTES);
  readonly #definition = new Levels();
  readonly #repetition = new Levels();

  constructor(chunk: ChunkWriter, depth: Depth) {
    this.#chunk = chunk;
    this.#depth = depth;
    this.#pageBytes = COLUMNS[chunk.column].largePages ? LARGE_PAGE_BYTES : PAGE_BYTES;
    this.#body.length = LEVELS_ROOM;
  }

  /** Opens the next value; `sizeBytes` is its approximate size. A page may end here if a row begins. */
  open(definition: number, repetition: number, sizeBytes: number): ByteBuffer {
    if (repetition === 0 && this.#isFull(sizeBytes)) this.#close();
    this.#definition.add(definition);
    if (this.#depth.repetition > 0) this.#repetition.add(repetition);
    return this.#body;
  }

  /** Ends the open page: later values go to other pages. */
  endPage(): void {
    if (this.#definition.length > 0) this.#close();
  }

  #isFull(nextBytes: number): boolean {
    if (this.#definition.length >= PAGE_VALUES) return true;
    const openBytes = this.#body.length - LEVELS_ROOM;
    return openBytes > 0 && openBytes + nextBytes > this.#pageBytes;
  }

  #close(): void {
    const levels = encodeLevels(this.#depth, this.#definition.filled(), this.#repetition.filled());
    this.#chunk.dataPage(this.#pageBehind(levels), this.#definition.length, "PLAIN");
    // One huge value must not keep its buffer allocated for the rest of the segment.
    if (this.#body.bytes.length > 2 * this.#pageBytes) this.#body = new ByteBuffer(FIRST_BUFFER_BYTES);
    this.#body.length = LEVELS_ROOM;
    this.#definition.clear();
    this.#repetition.clear();
  }

  #pageBehind(levels: Uint8Array): Uint8Array {
    const body = this.#body.filled();
    if (levels.length <= LEVELS_ROOM) {
      body.set(levels, LEVELS_ROOM - levels.length);
      return body.subarray(LEVELS_ROOM - levels.length);
    }
    const page = new Uint8Array(levels.length + body.length - LEVELS_ROOM);
    page.set(levels);
    page.set(body.subarray(LEVELS_ROOM), levels.length);
    return page;
  }
}
