import type { Compression } from "../../src/domain/shared/format.ts";
import { compileFilter } from "../../src/filter/evaluate/evaluate.ts";
import { loadedInSegment } from "../../src/parquet/read/loaded-chunks.ts";
import { segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { selectRows } from "../../src/parquet/read/select-rows.ts";
import type { Selection } from "../../src/parquet/schema.ts";
import { RowCollector } from "../../src/parquet/write/collect-rows.ts";
import { recodedSegment } from "../../src/parquet/write/recode.ts";
import type { Segment } from "../../src/parquet/write/segment-writer.ts";
import { filterOf } from "../filter/runs.ts";

export interface Derivation {
  readonly selection: Selection;
  readonly codec: Compression;
  /** null: every row. */
  readonly keep: readonly { readonly start: number; readonly end: number }[] | null;
  readonly filter?: string;
}

const EVER = [{ start: 0, end: Number.POSITIVE_INFINITY }];

/** The derived segment of a whole segment, as an export makes it; null: no row matches. */
export const deriveSegment = (bytes: Uint8Array, { selection, codec, keep, filter }: Derivation): Segment | null => {
  const held = loadedInSegment(bytes);
  const { rows } = segmentFooter(bytes);
  const choice = { windows: keep ?? EVER, filter: filter === undefined ? null : compileFilter(filterOf(filter)) };
  const selected = selectRows(held, choice);
  if (selected.rows.length === 0) return null;
  if (selected.rows.length === rows)
    return { ...selected, rows, bytes: recodedSegment(held, rows, { selection, codec }) };
  const collector = new RowCollector(selection, codec);
  collector.add(held, selected);
  return collector.finish();
};
