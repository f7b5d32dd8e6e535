import { type CompiledFilter, compileFilter } from "../src/filter/evaluate.ts";
import type { Filter } from "../src/filter/filter.ts";
import { and, or } from "../src/filter/logic.ts";
import { mayMatch } from "../src/filter/statistics.ts";
import { mayHold } from "../src/parquet/bloom.ts";
import { chosenRows, type PartialRow, ROW_COLUMNS, type RowColumn } from "../src/parquet/chosen-rows.ts";
import type { Footer } from "../src/parquet/footer.ts";
import { statisticsOf } from "../src/parquet/footer-statistics.ts";
import type { SegmentRow } from "../src/parquet/row.ts";
import { chunkOf } from "../src/parquet/segment-reader.ts";
import { textIs } from "../src/trace/query-filter.ts";
import { comparePositions, firstOf, type Position, placeBefore } from "../src/trace/query-order.ts";
import { rowColumnsOf, viewOfRow } from "../src/trace/run-view.ts";
import { traceOfRun } from "../src/trace/trace-of-run.ts";
import type { FoundRuns, Hit, RunQuestion } from "./query-messages.ts";
import { type Part, partsOf, placeOf } from "./query-parts.ts";
import type { ShardView } from "./query-view.ts";
import { readColumns, readRange, segmentFooter } from "./steps/segments.ts";
import { changedRow, freshRow } from "./trace-changed.ts";

/**
 * Bytes read before a shard answers with what it has found so far. Segments that overlap in time are read together all
 * the same, for only then it is certain which of their runs comes first.
 */
const STEP_BYTES = 32 * 1024 * 1024;

/** What every row tells of itself. */
const PLACE: readonly RowColumn[] = ["id", "start_time"];
const EVERY_COLUMN = new Set(ROW_COLUMNS);
const TRACE: readonly RowColumn[] = ["trace_id", "dotted_order"];

/**
 * The runs of a shard that fit, those that are not sealed included; nothing is sealed for it. Null: segments were
 * written meanwhile, so that nothing is certain.
 */
export async function findRuns(view: ShardView, question: RunQuestion): Promise<FoundRuns | null> {
  const { order, limit } = question;
  const commits = view.store.commits;
  const { fresh, sealed } = partsOf(view.store, question);
  const search = new Search(view, question);
  for (const run of fresh) {
    const place = placeOf(run, view.identity.projectId);
    if (search.isPast(place)) break;
    if (!search.isInside(place)) continue;
    const row = freshRow(view.store, run);
    if (row !== null) search.offer(row);
    search.readBytes += run.bytes;
  }
  for (const part of sealed) {
    const first = placeBefore(order, order === "asc" ? part.least : part.most);
    if (search.isPast(first)) break;
    const isProgress = question.after === null || comparePositions(order, question.after, first) < 0;
    if (search.readBytes >= STEP_BYTES && isProgress) {
      const certain = search.hits.filter((hit) => comparePositions(order, hit, first) < 0);
      return { ...firstOf({ hits: certain, stoppedAt: first }, limit), readBytes: search.readBytes };
    }
    if (!search.mayHold(part)) continue;
    await search.look(part, commits);
    if (view.store.commits !== commits) return null;
  }
  return { ...firstOf({ hits: search.hits, stoppedAt: null }, limit), readBytes: search.readBytes };
}

/** One look through a shard, and the best that it has found so far. */
class Search {
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

  /** Whether nothing from that place on can be among the first that are asked for. */
  isPast(position: Position): boolean {
    const last = this.hits[this.#question.limit - 1];
    return last !== undefined && comparePositions(this.#question.order, position, last) > 0;
  }

  /** Whether runs of the part may stand where the question looks. */
  mayHold({ least, most }: Part): boolean {
    const { window, after, order } = this.#question;
    if (least >= window.end || most < window.start) return false;
    if (after === null) return true;
    return order === "asc" ? most >= after.start : least <= after.start;
  }

  /** Whether the question is about a run in that place. */
  isInside(place: Position): boolean {
    const { window, after, order } = this.#question;
    if (place.start < window.start || place.start >= window.end) return false;
    return this.#isAsked(place.id) && (after === null || comparePositions(order, after, place) < 0);
  }

  /** Takes the row among the hits if it fits. */
  offer(row: SegmentRow): void {
    if (this.isInside(this.#placeOf(row.id, row.start_time)) && this.#matches(row)) this.#add([this.#hitOf(row)]);
  }

  async look({ segment, changed }: Part, commits: number): Promise<void> {
    const { env, store } = this.#view;
    const footer = await segmentFooter(env, segment);
    const matches = mayMatch(this.#filter, statisticsOf(footer));
    const isRuledOut = matches === "none" || !(await this.#mayHoldTrace(segment, footer));
    if (isRuledOut && changed.size === 0) return;
    const tested = matches === "some" ? rowColumnsOf(this.#compiled.columns) : [];
    const columns = new Set<RowColumn>([...PLACE, ...(isRuledOut ? [] : tested)]);
    const held = await readColumns(env, segment, footer, columns);
    this.readBytes += bytesOf(footer, columns);
    const places = chosenRows(held, PLACE, "all").map(({ id, start_time }) => this.#placeOf(id, start_time));
    const isChanged = (place: Position | undefined) => place !== undefined && changed.has(place.id);
    const isWanted = (place: Position | undefined) =>
      place !== undefined && !changed.has(place.id) && this.isInside(place);
    const candidates = [...places.keys()].filter((row) => !isRuledOut && isWanted(places[row]));
    const rows = chosenRows(held, tested, Uint32Array.from(candidates));
    const chosen = candidates.filter((_, index) => matches === "all" || this.#matches(rows[index] ?? {}));
    const best =
      this.#question.order === "asc" ? chosen.slice(0, this.#question.limit) : chosen.slice(-this.#question.limit);
    await this.#addRows(segment, footer, best);
    const late = [...places.keys()].filter((row) => isChanged(places[row]) && this.#isAsked(places[row]?.id ?? ""));
    if (late.length === 0) return;
    const whole = await readColumns(env, segment, footer, EVERY_COLUMN);
    this.readBytes += bytesOf(footer, EVERY_COLUMN);
    // What is hot may have been sealed while these were read; then the changes are gone, and so is the answer.
    if (store.commits !== commits) return;
    for (const row of late) {
      const [before] = chosenRows(whole, ROW_COLUMNS, Uint32Array.of(row));
      const run = changed.get(before?.id ?? "");
      // All columns of a row are the row.
      if (run !== undefined) this.offer(changedRow(store, before as SegmentRow, run));
    }
  }

  async #mayHoldTrace(segment: Part["segment"], footer: Footer): Promise<boolean> {
    const { traceIds } = this.#question;
    if (traceIds === null) return true;
    const { offset, bytes, bloomBytes, statistics } = chunkOf(footer, "trace_id");
    if (statistics.nulls > 0) return true;
    const bloom = await readRange(this.#view.env, segment, offset + bytes, bloomBytes);
    this.readBytes += bloomBytes;
    return traceIds.some((id) => mayHold(bloom, id));
  }

  async #addRows(segment: Part["segment"], footer: Footer, rows: readonly number[]): Promise<void> {
    if (rows.length === 0) return;
    const columns = new Set<RowColumn>([...PLACE, ...TRACE]);
    const held = await readColumns(this.#view.env, segment, footer, columns);
    this.readBytes += bytesOf(footer, columns);
    this.#add(chosenRows(held, columns, Uint32Array.from(rows)).map((row) => this.#hitOf(row)));
  }

  #placeOf(id = "", start = 0): Position {
    return { start, id, projectId: this.#view.identity.projectId };
  }

  #isAsked(id: string): boolean {
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

/** A run that names no trace is one of its own. */
const inTraces = (ids: readonly string[]): Filter =>
  or([textIs("trace_id", ids), and([textIs("trace_id", null), textIs("id", ids)])]);

const bytesOf = ({ chunks }: Footer, columns: ReadonlySet<string>): number =>
  chunks.reduce((sum, { column, bytes }) => sum + (columns.has(column) ? bytes : 0), 0);
