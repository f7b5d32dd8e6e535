import type { ExportRunFailure, SourceFailure } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import type { Segment } from "../../../src/parquet/write/segment-writer.ts";

/**
 * Storage for the runs that a source copies for one export run: pages, each a segment in scratch. The log of the export
 * run records everything, so a later step continues where an earlier one stopped or died.
 */
export interface StagingArea {
  /** The staged pages so far; null: staging has not begun. */
  staged(): StagedPages | null;

  /**
   * Begins to stage. `plan` belongs to the source and survives restarts; it defines the pages. null: the export run no
   * longer wants this step, and the source must stop.
   */
  begin(plan: object, facts: { readonly pages: number; readonly rows: number }): Promise<StagedPages | null>;

  /** Aborts when the time of the attempt is over: a source ends what it waits for. */
  readonly timeOut: AbortSignal;

  /** Whether the source must stop: a later alarm continues, unless the export run no longer wants this step. */
  shouldLeave(): boolean;
}

/** The pages of one `begin`. A step that hung keeps writing to its own pages, never to those of a later `begin`. */
export interface StagedPages {
  /** One for each page recorded, from the first one on. */
  readonly segments: readonly SegmentRef[];

  /** The plan of `begin`, parsed from JSON. */
  plan(): Promise<unknown>;

  /** Writes a page, counted from 0, and records it. Null: as for `begin`. */
  add(page: number, segment: Segment): Promise<SegmentRef | null>;

  /** Records that all pages are invalid, then deletes them. false: the export run no longer wants this step. */
  drop(): Promise<boolean>;
}

/** Drops pages whose rows differ from those of the source now. The next attempt begins again. */
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
