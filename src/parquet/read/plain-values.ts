import type { Cursor, PlainValues } from "./pages.ts";

/** Cursors over PLAIN values, by type. */

/** Views on the page. */
export const plainBytes: PlainValues<Uint8Array> = (page, offset) => {
  const view = viewOf(page);
  let at = offset;
  return {
    next: () => {
      const start = at + 4;
      at = start + view.getUint32(at, true);
      return page.subarray(start, at);
    },
    skip: (count) => {
      for (let skipped = 0; skipped < count; skipped++) at += 4 + view.getUint32(at, true);
    },
  };
};

/** A byte order mark is a part of the value. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const plainStrings: PlainValues<string> = (page, offset) => {
  const bytes = plainBytes(page, offset);
  return { next: () => decoder.decode(bytes.next()), skip: bytes.skip };
};

export const plainIntegers: PlainValues<number> = (page, offset) =>
  fixedWidth(page, offset, 8, (view, at) => view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true));

export const plainCount32s: PlainValues<number> = (page, offset) =>
  fixedWidth(page, offset, 4, (view, at) => view.getInt32(at, true));

export const plainDecimals: PlainValues<number> = (page, offset) =>
  fixedWidth(page, offset, 8, (view, at) => view.getFloat64(at, true));

export const plainFlags: PlainValues<boolean> = (page, offset) => {
  let bit = offset * 8;
  return {
    next: () => {
      const at = bit++;
      return (((page[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
    },
    skip: (count) => {
      bit += count;
    },
  };
};

const fixedWidth = <T>(
  page: Uint8Array,
  offset: number,
  width: number,
  read: (view: DataView, at: number) => T,
): Cursor<T> => {
  const view = viewOf(page);
  let at = offset;
  return {
    next: () => {
      const value = read(view, at);
      at += width;
      return value;
    },
    skip: (count) => {
      at += count * width;
    },
  };
};

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
