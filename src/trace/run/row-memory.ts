import { COLUMNS, isList, isLong, ROW_COLUMNS, type RowColumn } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import { BIG_FIELDS } from "./change.ts";

/** Columns whose values may be long: bytes, and strings that are not an enumeration. */
const LONG: readonly RowColumn[] = ROW_COLUMNS.filter((column) => {
  const { kind, words } = COLUMNS[column];
  return isLong(kind) || (kind === "string" && words === undefined);
});

const LISTS = ROW_COLUMNS.filter(isList);

/**
 * Bytes of a run in the columns that may be long, before compression. Text and list columns count as well as JSON: they
 * are buffered until the segment is finished, lists twice, because they are stored as JSON text and as a list.
 */
export function rowBytes(row: SegmentRow): number {
  let bytes = 0;
  // The values of these columns are strings and bytes.
  for (const column of LONG) bytes += (row[column] as string | Uint8Array | null)?.length ?? 0;
  for (const column of LISTS) for (const item of row[column] ?? []) bytes += 2 * item.length;
  return bytes;
}

/** A row to keep: a value that is a view, which keeps its whole buffer in memory, is copied unless it is most of it. */
export function ownRow(row: SegmentRow): SegmentRow {
  const own = { ...row };
  for (const field of BIG_FIELDS) own[field] = row[field] && ownBytes(row[field]);
  return own;
}

/** Values of this part of their buffer are not copied: a long one would be in memory twice. */
const MOST = 7 / 8;

const ownBytes = (value: Uint8Array): Uint8Array =>
  value.length >= MOST * value.buffer.byteLength ? value : new Uint8Array(value);
