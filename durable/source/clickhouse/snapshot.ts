import type { ClickHouseTable, PageScope } from "../../../src/clickhouse/client.ts";
import type { PageBounds } from "../../../src/clickhouse/queries.ts";
import { isSameSource, type TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { Selection } from "../../../src/parquet/schema.ts";
import { readSettings } from "../../../src/settings.ts";
import { dropChanged, type StagedPages, type StagingArea } from "../port/staging-area.ts";
import type { SnapshotAnswer, SnapshotQuestion } from "../port/trace-source.ts";
import { type BoundTable, openTable } from "./open-table.ts";
import { scopeOf } from "./scope.ts";
import { stagePage } from "./stage-page.ts";

/** Fixed when an export run begins to read a table. */
interface Plan {
  readonly source: TableSource;
  /**
   * Upper bound of the insertion times, in epoch microseconds by the table's clock; null: the table has no insertion
   * times.
   */
  readonly before: number | null;
  readonly pages: readonly PageBounds[];
}

/**
 * Stages the rows of a table page by page. One query at the start fixes the rows and the bounds of the pages, and
 * counts them. If a page later has another number of rows, the table has changed, and the whole table is read again.
 */
export async function snapshotOfTable(
  bound: BoundTable,
  question: SnapshotQuestion,
  staging: StagingArea,
): Promise<SnapshotAnswer> {
  const { late, ingested } = question.partition;
  const known = staging.staged();
  // Late rows of a former binding cannot be read.
  if (late && ingested?.since !== bound.binding.since) return known === null ? ok([]) : dropChanged(known);
  const table = await openTable(bound, staging.timeOut);
  if (!table.ok) return fail({ reason: "source", source: table.failure });
  const begun = known === null ? await begin(bound, question, staging, table.value) : ok(known);
  if (!begun.ok) return fail({ reason: "source", source: begun.failure });
  const staged = begun.value;
  if (staged === null || staging.shouldLeave()) return ok(null);
  const plan = (await staged.plan()) as Plan; // written by `begin`
  if (!isSameSource(plan.source, bound.binding.source)) return dropChanged(staged);
  const segments = [...staged.segments];
  for (const [page, bounds] of plan.pages.entries()) {
    if (page < segments.length) continue;
    if (staging.shouldLeave()) return ok(null);
    const due = { scope: wantedScope(bound, question, plan.before), bounds, selection: selectionOf(question) };
    const segment = await stagePage(table.value, due, (made) => staged.add(page, made));
    if (!segment.ok) return segment.failure.reason === "page_changed" ? dropChanged(staged) : fail(segment.failure);
    if (segment.value === null) return ok(null);
    segments.push(segment.value);
  }
  return ok(segments.map((segment) => ({ ...segment, footer: null, keep: null })));
}

/** Fixes the rows, and counts them. null: the export run no longer wants this step. */
async function begin(
  bound: BoundTable,
  question: SnapshotQuestion,
  staging: StagingArea,
  table: ClickHouseTable,
): Promise<Result<StagedPages | null, SourceFailure>> {
  const { env, binding } = bound;
  const { ingested } = question.partition;
  const before = ingested?.since === binding.since ? ok(ingested.before) : await table.now();
  if (!before.ok) return before;
  const pages = await table.pages(wantedScope(bound, question, before.value), readSettings(env).segmentRawBytes);
  if (!pages.ok) return pages;
  const plan: Plan = { source: binding.source, before: before.value, pages: pages.value };
  const rows = pages.value.reduce((sum, page) => sum + page.rows, 0);
  return ok(await staging.begin(plan, { pages: pages.value.length, rows }));
}

/** The rows and fields that the export run reads; `before`: the bound of its snapshot. */
const wantedScope = (
  { project }: BoundTable,
  { partition, exportFields, filter }: SnapshotQuestion,
  before: number | null,
): PageScope => {
  const ingested = before === null ? null : { from: partition.ingested?.from ?? 0, before };
  return scopeOf(project, { window: partition, exportFields, filter, ingested });
};

const selectionOf = ({ formatVersion, exportFields }: SnapshotQuestion): Selection => ({
  version: formatVersion,
  fields: exportFields,
});
