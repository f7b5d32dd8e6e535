import type { SourceFailure } from "../../src/domain/failures.ts";
import { ALL_FIELDS, EXPORT_FIELDS, type ExportField } from "../../src/domain/fields.ts";
import type { RunSpec } from "../../src/domain/run/events.ts";
import type { Staging } from "../../src/domain/run/state.ts";
import type { SegmentRef } from "../../src/domain/segment.ts";
import { isSameSource, type TableBinding, type TableSource } from "../../src/domain/table-source.ts";
import { acceptedFilter } from "../../src/filter/index.ts";
import { adoptSegment } from "../../src/parquet/adopt.ts";
import { readSettings } from "../../src/settings.ts";
import type { ClickHouseTable, PageScope } from "../../src/source/clickhouse/client.ts";
import { sourceFailure } from "../../src/source/clickhouse/failures.ts";
import type { PageBounds } from "../../src/source/clickhouse/queries.ts";
import { openBinding } from "../clickhouse.ts";
import type { StepContext } from "./context.ts";
import { deleteAll, stagedKey, stagedKeys, stagingKey } from "./scratch.ts";

/** Longest run of a table, as for those that are sent: a page and its segment are in memory together. */
const MOST_RUN_BYTES = 24 * 1024 * 1024;

/** What was fixed when a run began to read a table; lies in scratch. */
interface StoredStaging {
  readonly source: TableSource;
  readonly before: number | null;
  readonly pages: readonly PageBounds[];
}

/**
 * Brings the rows of a table into scratch, page by page, each one a segment and a checkpoint. Which rows, and where
 * pages begin and end, is fixed and counted by one query at the start; a page that then has another number of rows
 * means that the table has changed, and everything is read anew. Answers with the segments when all pages are there;
 * null: not yet, or it recorded why not.
 */
export async function stageTable(context: StepContext, binding: TableBinding): Promise<readonly SegmentRef[] | null> {
  const { env, spec } = context;
  const table = await openBinding(env, { id: spec.projectId, tenantId: spec.tenantId }, binding);
  if (!table.ok) return failed(context, table.failure);
  if (context.progress().staging === null && !(await begin(context, binding.source, table.value))) return null;
  const { staging } = context.progress();
  if (staging === null) return null; // not wanted any longer
  const stored = await storedStaging(context);
  if (!isSameSource(stored.source, binding.source)) return dropStaging(context, staging);
  return stagePages(context, table.value, stored, staging);
}

/** Fixes what is read; false: it could not, or is not wanted any longer. */
async function begin(context: StepContext, source: TableSource, table: ClickHouseTable): Promise<boolean> {
  const { env, spec } = context;
  const before = await table.now();
  if (!before.ok) return refused(context, before.failure);
  const pages = await table.pages(scopeOf(spec, before.value), readSettings(env).segmentRawBytes);
  if (!pages.ok) return refused(context, pages.failure);
  if (pages.value.some((page) => page.longestRowBytes > MOST_RUN_BYTES))
    return refused(context, sourceFailure("row_too_large"));
  const key = stagingKey(spec);
  const stored: StoredStaging = { source, before: before.value, pages: pages.value };
  await env.SEGMENTS.put(key, JSON.stringify(stored));
  const rows = pages.value.reduce((sum, page) => sum + page.rows, 0);
  return context.record({
    type: "RecordStaging",
    staging: { key, pages: pages.value.length, rows },
    now: Date.now(),
  });
}

async function stagePages(
  context: StepContext,
  table: ClickHouseTable,
  { before, pages }: StoredStaging,
  staging: Staging,
): Promise<readonly SegmentRef[] | null> {
  const { env, spec } = context;
  const segments = [...staging.segments];
  for (const [page, bounds] of pages.entries()) {
    if (page < segments.length) continue;
    if (context.isTired()) return null;
    const file = await table.page(scopeOf(spec, before), bounds);
    if (!file.ok) return failed(context, file.failure);
    const made = adoptSegment(file.value, { version: spec.formatVersion, fields: spec.exportFields });
    if (!made.ok && made.failure.reason === "not_adoptable") return broken(context, made.failure.message);
    if (!made.ok || made.value.rows !== bounds.rows) return dropStaging(context, staging);
    const { rows, minStart, maxStart, bytes } = made.value;
    const key = stagedKey(spec, page);
    const object = await env.SEGMENTS.put(key, bytes);
    if (object === null) throw new Error("an unconditional PUT to SEGMENTS was refused");
    const segment = { key, etag: object.etag, bytes: bytes.byteLength, rows, minStart, maxStart };
    if (!context.record({ type: "RecordPage", page, segment, now: Date.now() })) return null;
    segments.push(segment);
  }
  return segments;
}

/** Gives up what was staged: the next attempt reads the table anew, or the traces that came in here. */
export async function dropStaging(context: StepContext, { pages }: Staging): Promise<null> {
  await deleteAll(context.env, stagedKeys(context.spec, pages));
  context.record({ type: "DropStaging", now: Date.now() });
  return failed(context, sourceFailure("rows_changed"));
}

const failed = (context: StepContext, source: SourceFailure): null => {
  context.record({ type: "RecordFailure", failure: { reason: "source", source }, now: Date.now() });
  return null;
};

const refused = (context: StepContext, source: SourceFailure): false => failed(context, source) ?? false;

const broken = (context: StepContext, message: string): null => {
  const failure = { reason: "processing", message: `a page of the table is not usable: ${message}` } as const;
  context.record({ type: "RecordFailure", failure, now: Date.now() });
  return null;
};

async function storedStaging({ env, spec }: StepContext): Promise<StoredStaging> {
  const object = await env.SEGMENTS.get(stagingKey(spec));
  if (object === null) throw new Error("the run's list of pages is missing from scratch");
  return object.json<StoredStaging>();
}

const scopeOf = (
  { tenantId, projectId, partition, exportFields, filter }: RunSpec,
  before: number | null,
): PageScope => ({
  tenantId,
  projectId,
  start: partition.start * 1000,
  end: partition.end * 1000,
  before,
  filter: acceptedFilter(filter),
  fields: ALL_FIELDS.filter((field) => (exportFields ?? EXPORT_FIELDS).includes(field) || isNeeded(field)),
});

/** Which segments cannot do without. */
const isNeeded = (field: ExportField): boolean => field === "id" || field === "start_time";
