import type { ExportRunFailure, SourceFailure } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import type { Segment } from "../../../src/parquet/write/segment-writer.ts";

/**
 * Where a source puts the runs that it copies for one export run: pages, each a segment in scratch. Everything is
 * recorded in the log of the export run, so a later step continues where an earlier one stopped or died.
 */
export interface StagingArea {
  /** What was staged so far; null: nothing was begun. */
  staged(): StagedPages | null;

  /**
   * Begins to stage. `plan` is the source's own and survives restarts; it says what the pages are. Null: the export run
   * no longer wants this step, and the source leaves.
   */
  begin(plan: object, facts: { readonly pages: number; readonly rows: number }): Promise<StagedPages | null>;

  /** Whether the source should leave: the rest is up to the next alarm, or to nobody. */
  shouldLeave(): boolean;
}

/** The pages of one `begin`. A step that hung keeps writing to its own, never to those of a later `begin`. */
export interface StagedPages {
  /** One for each page recorded, from the first one on. */
  readonly segments: readonly SegmentRef[];

  /** What `begin` got, read back from JSON. */
  plan(): Promise<unknown>;

  /** Writes a page, counted from 0, and records it. Null: as for `begin`. */
  add(page: number, segment: Segment): Promise<SegmentRef | null>;

  /** Records that all pages are worthless, then deletes them. False: the export run no longer wants this step. */
  drop(): Promise<boolean>;
}

/** Drops pages that are of other rows than the source has now. The next attempt begins again. */
export async function dropChanged(staged: StagedPages): Promise<Result<null, ExportRunFailure>> {
  return (await staged.drop()) ? fail({ reason: "source", source: ROWS_CHANGED }) : ok(null);
}

const ROWS_CHANGED: SourceFailure = {
  reason: "rows_changed",
  retryable: true,
  code: null,
  status: null,
  advice: "Rows of the range were inserted or changed meanwhile; the range is read again.",
};
