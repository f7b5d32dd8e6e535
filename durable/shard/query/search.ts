import { ROW_COLUMNS, type RowColumn } from "../../../src/domain/run/columns.ts";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { type CompiledFilter, compileFilter } from "../../../src/filter/evaluate/evaluate.ts";
import { mayMatch } from "../../../src/filter/evaluate/statistics.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import { and, or } from "../../../src/filter/logic.ts";
import { mayHold } from "../../../src/parquet/encoding/bloom.ts";
import type { Footer } from "../../../src/parquet/footer.ts";
import { statisticsOf } from "../../../src/parquet/read/footer-statistics.ts";
import type { LoadedChunks } from "../../../src/parquet/read/loaded-chunks.ts";
import { type PartialRow, partialRows } from "../../../src/parquet/read/read-rows.ts";
import { chunkOf } from "../../../src/parquet/read/segment-reader.ts";
import { textIs } from "../../../src/trace/query/filter.ts";
import { comparePositions, type Position } from "../../../src/trace/query/order.ts";
import { rowColumnsOf, viewOfRow } from "../../../src/trace/query/run-view.ts";
import { traceOfRun } from "../../../src/trace/run/trace-of-run.ts";
import type { Hit, RunQuestion } from "../../protocol/query.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { readColumns, readRange, segmentFooter } from "../../segments/read-segment.ts";
import { changedRow } from "../store/apply-changes.ts";
import type { SegmentWithChanges } from "./segments-with-changes.ts";
import type { ShardView } from "./shard-view.ts";

/** Columns of a row's position, and of a hit. */
const PLACE: ReadonlySet<RowColumn> = new Set(["id", "start_time"]);
const HIT: ReadonlySet<RowColumn> = new Set([...PLACE, "trace_id", "dotted_order"]);
const EVERY_COLUMN: ReadonlySet<RowColumn> = new Set(ROW_COLUMNS);

/** One search through a shard, with the best hits so far. */
export class Search {
  readonly #view: ShardView;
  readonly #question: RunQuestion;
  readonly #filter: Filter;
  readonly #compiled: CompiledFilter;
  readonly #ids: ReadonlySet<string> | null;
  hits: readonly Hit[] = [];
  readBytes = 0;

  constructor(view: ShardView, question: RunQuestion) {
    this.#view = view;
    this.#question = question;
    this.#filter = question.traceIds === null ? question.filter : and([inTraces(question.traceIds), question.filter]);
    this.#compiled = compileFilter(this.#filter);
    this.#ids = question.ids === null ? null : new Set(question.ids);
  }

  /** Whether no run at or behind the position can be among the first `limit` hits. */
  isPast(position: Position): boolean {
    const last = this.hits[this.#question.limit - 1];
    return last !== undefined && comparePositions(this.#question.order, position, last) > 0;
  }

  /** Whether the segment may hold runs that the question is about. */
  mayHold({ minStart, maxStart }: SegmentWithChanges): boolean {
    const { window, after, order } = this.#question;
    if (minStart >= window.end || maxStart < window.start) return false;
    if (after === null) return true;
    return order === "asc" ? maxStart >= after.start : minStart <= after.start;
  }

  /** Whether the question is about a run at the position. */
  isInside(place: Position): boolean {
    const { window, after, order } = this.#question;
    if (place.start < window.start || place.start >= window.end) return false;
    return this.#isRequested(place.id) && (after === null || comparePositions(order, after, place) < 0);
  }

  /** Adds the row to the hits if it matches. */
  offer(row: SegmentRow): void {
    if (this.isInside(this.#placeOf(row.id, row.start_time)) && this.#matches(row)) this.#add([this.#hitOf(row)]);
  }

  /** Searches a segment. The hits count only if the shard committed nothing meanwhile. */
  async searchSegment({ segment, changed }: SegmentWithChanges, commits: number): Promise<void> {
    const footer = await segmentFooter(this.#view.env, segment);
    const matches = mayMatch(this.#filter, statisticsOf(footer));
    const isExcluded = matches === "none" || !(await this.#mayHoldTrace(segment, footer));
    if (isExcluded && changed.size === 0) return;
    const tested = isExcluded || matches === "all" ? [] : rowColumnsOf(this.#compiled.columns);
    const held = await this.#read(segment, footer, new Set([...PLACE, ...tested]));
    const places = partialRows(held, PLACE, "all").map(({ id, start_time }) => this.#placeOf(id, start_time));
    const numbersOf = (isMeant: (place: Position) => boolean): Uint32Array =>
      Uint32Array.from(places.flatMap((place, row) => (isMeant(place) ? [row] : [])));
    if (!isExcluded) {
      const candidates = numbersOf((place) => !changed.has(place.id) && this.isInside(place));
      const rows = partialRows(held, tested, candidates);
      const matching = candidates.filter((_, index) => matches === "all" || this.#matches(rows[index] ?? {}));
      await this.#addRows(segment, footer, this.#firstOf(matching, places));
    }
    const late = numbersOf(({ id }) => changed.has(id) && this.#isRequested(id));
    if (late.length > 0) await this.#offerChanged({ segment, changed }, footer, late, commits);
  }

  /** The first `limit` rows by position, in the order of the segment. */
  #firstOf(rows: Uint32Array, places: readonly Position[]): Uint32Array {
    const { order, limit } = this.#question;
    if (rows.length <= limit) return rows;
    const placeAt = (row: number) => places[row] as Position; // each row has one
    const inOrder = [...rows].sort((a, b) => comparePositions(order, placeAt(a), placeAt(b)));
    return Uint32Array.from(inOrder.slice(0, limit)).sort();
  }

  /** Adds rows to the hits. */
  async #addRows(segment: SnapshotSegment, footer: Footer, rows: Uint32Array): Promise<void> {
    if (rows.length === 0) return;
    const held = await this.#read(segment, footer, HIT);
    this.#add(partialRows(held, HIT, rows).map((row) => this.#hitOf(row)));
  }

  /** Rows with unsealed changes: the changes must be applied before the filter is evaluated, so all columns are read. */
  async #offerChanged(
    { segment, changed }: Pick<SegmentWithChanges, "segment" | "changed">,
    footer: Footer,
    rows: Uint32Array,
    commits: number,
  ): Promise<void> {
    const { store } = this.#view;
    const held = await this.#read(segment, footer, EVERY_COLUMN);
    // A commit during the read has removed the changes.
    if (store.commits !== commits) return;
    for (const before of partialRows(held, ROW_COLUMNS, rows)) {
      const run = changed.get(before.id ?? "");
      // All columns were read, so it is a whole row.
      if (run !== undefined) this.offer(changedRow(store, before as SegmentRow, run));
    }
  }

  async #read(segment: SnapshotSegment, footer: Footer, columns: ReadonlySet<RowColumn>): Promise<LoadedChunks> {
    const names: ReadonlySet<string> = columns;
    for (const { column, bytes } of footer.chunks) if (names.has(column)) this.readBytes += bytes;
    return readColumns(this.#view.env, segment, footer, columns);
  }

  async #mayHoldTrace(segment: SnapshotSegment, footer: Footer): Promise<boolean> {
    const { traceIds } = this.#question;
    if (traceIds === null) return true;
    const { offset, bytes, bloomBytes, statistics } = chunkOf(footer, "trace_id");
    if (statistics.nulls > 0) return true;
    const bloom = await readRange(this.#view.env, segment, offset + bytes, bloomBytes);
    this.readBytes += bloomBytes;
    return traceIds.some((id) => mayHold(bloom, id));
  }

  #placeOf(id = "", start = 0): Position {
    return { start, id, projectId: this.#view.identity.projectId };
  }

  #isRequested(id: string): boolean {
    return this.#ids === null || this.#ids.has(id);
  }

  #matches(row: PartialRow): boolean {
    return this.#compiled.matches(viewOfRow(row, this.#view.identity.projectId));
  }

  #hitOf({ id = "", start_time: start = 0, trace_id = null, dotted_order = null }: PartialRow): Hit {
    const trace = traceOfRun({ id, start, trace_id, dotted_order });
    return { ...this.#placeOf(id, start), day: this.#view.identity.day, trace };
  }

  #add(hits: readonly Hit[]): void {
    const { order, limit } = this.#question;
    this.hits = [...this.hits, ...hits].sort((a, b) => comparePositions(order, a, b)).slice(0, limit);
  }
}

/** A run without trace id is its own trace. */
const inTraces = (ids: readonly string[]): Filter =>
  or([textIs("trace_id", ids), and([textIs("trace_id", null), textIs("id", ids)])]);
