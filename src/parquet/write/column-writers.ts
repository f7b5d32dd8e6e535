import type { Compression } from "../../domain/shared/format.ts";
import type { EncodedChunk } from "../chunk.ts";
import type { ColumnKind, ColumnName, PhysicalValues } from "../columns.ts";
import { FLAT, Levels, LISTED } from "../encoding/levels.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { encodeFlags, encodeLeaf, flatLeaf } from "./encode-leaf.ts";
import { COUNT32, DECIMAL, INTEGER, type LeafType, STRING } from "./leaf-types.ts";
import { PlainPages } from "./plain-pages.ts";

/** Writes the values of one column, row by row, into its chunk. */
export interface ColumnWriter<T> {
  add(value: T | null): void;
  finish(): EncodedChunk;
}

/** Streams bytes unchanged: PLAIN, each page compressed when it is full; values are not parsed. */
export class TextColumn implements ColumnWriter<Uint8Array> {
  readonly #chunk: ChunkWriter;
  readonly #pages: PlainPages;
  #nulls = 0;

  constructor(column: ColumnName, codec: Compression) {
    this.#chunk = new ChunkWriter(column, codec);
    this.#pages = new PlainPages(this.#chunk, FLAT);
  }

  add(value: Uint8Array | null): void {
    if (value === null) {
      this.#nulls++;
      this.#pages.open(0, 0, 0);
    } else {
      this.#pages.open(1, 0, value.length).appendPrefixedBytes(value);
    }
  }

  /** Ends the open page: later values go to other pages. */
  endPage(): void {
    this.#pages.endPage();
  }

  finish(): EncodedChunk {
    this.#pages.endPage();
    return this.#chunk.finish({ nulls: this.#nulls, bounds: null }, null);
  }
}

/** Buffers the values of a column with at most one value per row. */
abstract class FlatColumn<T> implements ColumnWriter<T> {
  readonly column: ColumnName;
  readonly codec: Compression;
  readonly definition = new Levels();
  readonly values: T[] = [];

  constructor(column: ColumnName, codec: Compression) {
    this.column = column;
    this.codec = codec;
  }

  abstract add(value: T | null): void;
  abstract finish(): EncodedChunk;
}

/** UTF-8 has no lone surrogates: each becomes U+FFFD, as in every encoder. */
export class StringColumn extends FlatColumn<string> {
  add(value: string | null): void {
    this.definition.add(value === null ? 0 : 1);
    if (value !== null) this.values.push(value.toWellFormed());
  }

  finish(): EncodedChunk {
    return encodeLeaf(this.column, this.codec, STRING, flatLeaf(this.definition, this.values));
  }
}

/** -0 becomes 0: a dictionary holds only one of them. */
export class NumberColumn extends FlatColumn<number> {
  readonly #type: LeafType<number>;

  constructor(column: ColumnName, codec: Compression, type: LeafType<number>) {
    super(column, codec);
    this.#type = type;
  }

  add(value: number | null): void {
    this.definition.add(value === null ? 0 : 1);
    if (value !== null) this.values.push(value === 0 ? 0 : value);
  }

  finish(): EncodedChunk {
    return encodeLeaf(this.column, this.codec, this.#type, flatLeaf(this.definition, this.values));
  }
}

export class FlagColumn extends FlatColumn<boolean> {
  add(value: boolean | null): void {
    this.definition.add(value === null ? 0 : 1);
    if (value !== null) this.values.push(value);
  }

  finish(): EncodedChunk {
    return encodeFlags(this.column, this.codec, flatLeaf(this.definition, this.values));
  }
}

/** LIST<STRING>. A null list, an empty list and a non-empty list are distinguished; an item is never null. */
export class ListColumn implements ColumnWriter<readonly string[]> {
  readonly #column: ColumnName;
  readonly #codec: Compression;
  readonly #definition = new Levels();
  readonly #repetition = new Levels();
  readonly #values: string[] = [];

  constructor(column: ColumnName, codec: Compression) {
    this.#column = column;
    this.#codec = codec;
  }

  add(list: readonly string[] | null): void {
    if (list === null || list.length === 0) {
      this.#definition.add(list === null ? 0 : 1);
      this.#repetition.add(0);
      return;
    }
    let repetition = 0;
    for (const item of list) {
      this.#definition.add(LISTED.definition);
      this.#repetition.add(repetition);
      this.#values.push(item.toWellFormed());
      repetition = LISTED.repetition;
    }
  }

  finish(): EncodedChunk {
    const leaf = { depth: LISTED, definition: this.#definition, repetition: this.#repetition, values: this.#values };
    return encodeLeaf(this.#column, this.#codec, STRING, leaf);
  }
}

/** Opens the writer of a column, by kind. */
export const WRITERS: {
  readonly [K in ColumnKind]: (column: ColumnName, codec: Compression) => ColumnWriter<PhysicalValues[K]>;
} = {
  text: (column, codec) => new TextColumn(column, codec),
  string: (column, codec) => new StringColumn(column, codec),
  list: (column, codec) => new ListColumn(column, codec),
  time: (column, codec) => new NumberColumn(column, codec, INTEGER),
  integer: (column, codec) => new NumberColumn(column, codec, INTEGER),
  count32: (column, codec) => new NumberColumn(column, codec, COUNT32),
  decimal: (column, codec) => new NumberColumn(column, codec, DECIMAL),
  flag: (column, codec) => new FlagColumn(column, codec),
};
