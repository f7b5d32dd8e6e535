import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import { compileFilter } from "../../../src/filter/evaluate/evaluate.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { type ColumnName, columnsFor } from "../../../src/parquet/columns.ts";
import type { Footer } from "../../../src/parquet/footer.ts";
import type { LoadedChunks } from "../../../src/parquet/read/loaded-chunks.ts";
import {
  columnsToChoose,
  type RowChoice,
  type SelectedRows,
  selectRows,
} from "../../../src/parquet/read/select-rows.ts";
import { exportMemory, type Lease } from "../../concurrency/memory-budget.ts";
import { serialize } from "../../concurrency/serialize.ts";
import type { Env } from "../../protocol/env.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { readColumns, segmentFooter } from "../../segments/read-segment.ts";
import { isWhole, windowsOf } from "./windows.ts";

/** What is wanted of a segment that cannot be copied unseen. */
export type Chosen =
  | { readonly kind: "nothing" }
  /** As it lies there. */
  | { readonly kind: "itself" }
  /** All rows, in another codec. */
  | { readonly kind: "all"; readonly held: LoadedChunks }
  | { readonly kind: "some"; readonly held: LoadedChunks; readonly selected: SelectedRows };

/** `lease`: of the memory that the columns take. */
export type ChosenColumns = Chosen & { readonly lease: Lease };

/**
 * Reads of segments what a run wants of them: first the columns that decide on rows; those to be exported only where
 * some rows are wanted. Where that is to be expected both are read at once: when `start_time` alone decides, for a
 * window cuts few segments without a row of theirs in it, and after a segment that had some. Segments acquire memory in
 * the order asked for, so the one that is needed next has it.
 */
export function chosenReader(env: Env, spec: ExportRunSpec): (segment: SnapshotSegment) => Promise<ChosenColumns> {
  const filter = acceptedFilter(spec.filter);
  const compiled = filter === null ? null : compileFilter(filter);
  const exported = new Set(columnsFor({ version: spec.formatVersion, fields: spec.exportFields }));
  const toMemory = serialize();
  let hadRows = false;
  return async (segment) => {
    const choice = choiceOf(spec, segment, segment.matches === "some" ? compiled : null);
    const deciding = choice === null ? new Set<ColumnName>() : columnsToChoose(choice);
    const found = segmentFooter(env, segment);
    found.catch(() => {}); // met in its turn
    const lease = await toMemory(async () =>
      exportMemory.acquire(bytesOf(await found, new Set([...exported, ...deciding]))),
    );
    const read = (columns: ReadonlySet<ColumnName>) =>
      found.then((footer) => readColumns(env, segment, footer, columns));
    try {
      if (choice === null) return { kind: "all", held: await read(exported), lease };
      const isExpected = hadRows || deciding.size === 1;
      const held = await read(isExpected ? new Set([...exported, ...deciding]) : deciding);
      const selected = selectRows(held, choice);
      hadRows = selected.rows.length > 0;
      if (selected.rows.length === 0) return { kind: "nothing", lease };
      const isAll = selected.rows.length === segment.rows;
      if (isAll && spec.compression === "zstandard") return { kind: "itself", lease };
      const rest = await read(new Set([...exported].filter((column) => !held.has(column))));
      const all = new Map([...held, ...rest]);
      return isAll ? { kind: "all", held: all, lease } : { kind: "some", held: all, selected, lease };
    } catch (error) {
      lease.release();
      throw error;
    }
  };
}

/** Null: every row is wanted. */
const choiceOf = (spec: ExportRunSpec, segment: SnapshotSegment, filter: RowChoice["filter"]): RowChoice | null =>
  filter === null && isWhole(spec, segment) ? null : { keep: windowsOf(spec, segment), filter };

const bytesOf = ({ chunks }: Footer, columns: ReadonlySet<ColumnName>): number =>
  chunks.reduce((sum, { column, bytes, bloomBytes }) => sum + (columns.has(column) ? bytes + bloomBytes : 0), 0);
