import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import { compileFilter } from "../../../src/filter/evaluate/evaluate.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import type { ColumnName } from "../../../src/parquet/columns.ts";
import type { Footer } from "../../../src/parquet/footer.ts";
import type { LoadedChunks } from "../../../src/parquet/read/loaded-chunks.ts";
import {
  columnsToChoose,
  type RowChoice,
  type SelectedRows,
  selectRows,
} from "../../../src/parquet/read/select-rows.ts";
import { derivedColumns } from "../../../src/parquet/schema.ts";
import { untilInterrupted } from "../../concurrency/interruption.ts";
import { exportMemory, type Lease } from "../../concurrency/memory-budget.ts";
import { serialize } from "../../concurrency/serialize.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { readColumns, segmentFooter } from "../../segments/read-segment.ts";
import type { StepContext } from "./context.ts";
import { isWhole, windowsOf } from "./windows.ts";

/** What an export run takes of a segment that may not be copied as it is. */
export type TakenRows =
  | { readonly kind: "none" }
  /** The whole segment can be copied after all. */
  | { readonly kind: "copy" }
  /** All rows, to be written in another codec. */
  | { readonly kind: "all"; readonly chunks: LoadedChunks }
  | { readonly kind: "some"; readonly chunks: LoadedChunks; readonly selected: SelectedRows };

/** `lease`: of the memory of the chunks. */
export type LeasedRows = TakenRows & { readonly lease: Lease };

/**
 * Reads of segments the rows that an export run takes: first the columns that decide on rows, then the exported ones if
 * any row is taken. Both are read at once where a row is likely: when `start_time` alone decides, because a segment that
 * the window cuts rarely has no row in it, and after a segment that had rows. Segments acquire memory in the order of the
 * calls, so the one that is needed next has it.
 */
export function takenRowsReader({
  env,
  spec,
  timeOut,
}: StepContext): (segment: SnapshotSegment) => Promise<LeasedRows> {
  const filter = acceptedFilter(spec.filter);
  const compiled = filter === null ? null : compileFilter(filter);
  const selection = { version: spec.formatVersion, fields: spec.exportFields };
  const toMemory = serialize();
  let hadRows = false;
  return async (segment) => {
    const choice = choiceOf(spec, segment, segment.matches === "some" ? compiled : null);
    const deciding = choice === null ? new Set<ColumnName>() : columnsToChoose(choice);
    const found = untilInterrupted(timeOut, segmentFooter(env, segment));
    found.catch(() => {}); // awaited below
    let exported: ReadonlySet<ColumnName> = new Set();
    const lease = await toMemory(async () => {
      const footer = await found;
      exported = new Set(derivedColumns(selection, new Set(footer.chunks.map(({ column }) => column))));
      return exportMemory.acquire(bytesOf(footer, new Set([...exported, ...deciding])));
    });
    const read = (columns: ReadonlySet<ColumnName>) =>
      untilInterrupted(
        timeOut,
        found.then((footer) => readColumns(env, segment, footer, columns)),
      );
    try {
      if (choice === null) return { kind: "all", chunks: await read(exported), lease };
      const isLikely = hadRows || deciding.size === 1;
      const first = await read(isLikely ? new Set([...exported, ...deciding]) : deciding);
      const selected = selectRows(first, choice);
      hadRows = selected.rows.length > 0;
      if (selected.rows.length === 0) return { kind: "none", lease };
      const isAll = selected.rows.length === segment.rows;
      if (isAll && spec.compression === "zstandard") return { kind: "copy", lease };
      const rest = await read(new Set([...exported].filter((column) => !first.has(column))));
      const chunks = new Map([...first, ...rest]);
      return isAll ? { kind: "all", chunks, lease } : { kind: "some", chunks, selected, lease };
    } catch (error) {
      lease.release();
      throw error;
    }
  };
}

/** Which rows are taken; null: every row. */
const choiceOf = (spec: ExportRunSpec, segment: SnapshotSegment, filter: RowChoice["filter"]): RowChoice | null =>
  filter === null && isWhole(spec, segment) ? null : { windows: windowsOf(spec, segment), filter };

const bytesOf = ({ chunks }: Footer, columns: ReadonlySet<ColumnName>): number =>
  chunks.reduce((sum, { column, bytes, bloomBytes }) => sum + (columns.has(column) ? bytes + bloomBytes : 0), 0);
