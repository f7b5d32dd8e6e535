import { ROW_COLUMNS, type RowColumn } from "../../../src/domain/run/columns.ts";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { type PartialRow, partialRows } from "../../../src/parquet/read/read-rows.ts";
import { type QueriedRows, queriedBytes, type RowsQuestion } from "../../protocol/query.ts";
import { readColumns, segmentFooter } from "../../segments/read-segment.ts";
import { changedRow, freshRow } from "../store/apply-changes.ts";
import { type SegmentWithChanges, segmentsWithChanges } from "./segments-with-changes.ts";
import type { ShardView } from "./shard-view.ts";

/**
 * Rows of a shard by their ids, each with everything that was acknowledged of it. Reads segments one after the other,
 * until `maxBytes` are reached. null: segments changed during the read, so the result is not certain.
 */
export async function readRuns(view: ShardView, { ids, columns, maxBytes }: RowsQuestion): Promise<QueriedRows | null> {
  const { store } = view;
  const commits = store.commits;
  const { fresh, sealed } = segmentsWithChanges(store, { ids, order: "asc" });
  const freshOf = new Map(fresh.map((run) => [run.id, run]));
  const segments = store.segmentOf(ids);
  const partOf = new Map(sealed.map((part) => [part.segment.key, part]));
  const known = new Map<string, PartialRow>();
  const rows: (PartialRow | null)[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (store.commits !== commits) return null;
    const run = freshOf.get(id);
    const number = segments.get(id);
    if (run !== undefined) {
      const row = freshRow(store, run);
      if (row !== null) known.set(id, picked(row, columns));
    } else if (number !== undefined && !known.has(id)) {
      const part = partOf.get(store.objects.keyOf(number));
      const together = ids.filter((one) => segments.get(one) === number);
      if (part === undefined) throw new Error("a sealed run is in no live segment");
      const read = await rowsOf(view, part, new Set(together), columns, commits);
      if (read === null) return null;
      for (const [one, row] of read) known.set(one, row);
    }
    const row = known.get(id) ?? null;
    bytes += queriedBytes(row);
    if (bytes > maxBytes) break;
    rows.push(row);
  }
  return rows;
}

/** Rows of one segment by their ids, with the changes that arrived after its seal. */
async function rowsOf(
  { env, store }: ShardView,
  { segment, changed }: SegmentWithChanges,
  ids: ReadonlySet<string>,
  columns: readonly RowColumn[],
  commits: number,
): Promise<ReadonlyMap<string, PartialRow> | null> {
  const footer = await segmentFooter(env, segment);
  const isChanged = [...ids].some((id) => changed.has(id));
  const needed = new Set<RowColumn>(isChanged ? ROW_COLUMNS : ["id", ...columns]);
  const held = await readColumns(env, segment, footer, needed);
  if (store.commits !== commits) return null;
  const numbers = partialRows(held, ["id"], "all").flatMap(({ id = "" }, row) => (ids.has(id) ? [row] : []));
  return new Map(
    partialRows(held, needed, Uint32Array.from(numbers)).map((row) => {
      const { id = "" } = row;
      const run = changed.get(id);
      // All columns were read where a run has changed.
      return [id, picked(run === undefined ? row : changedRow(store, row as SegmentRow, run), columns)];
    }),
  );
}

/** The requested columns, copied: a message to another actor must not hold a whole page. */
const picked = (row: PartialRow, columns: readonly RowColumn[]): PartialRow =>
  Object.fromEntries(
    columns.map((column) => {
      const value = row[column];
      return [column, value instanceof Uint8Array ? value.slice() : value];
    }),
  );
