import type { ClickHouseTable } from "../../../src/clickhouse/client.ts";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { PageBounds } from "../../../src/clickhouse/queries.ts";
import type { Staging } from "../../../src/domain/export-run/state.ts";
import { isSameSource, type TableBinding, type TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import type { ExportRunFailure, SourceFailure } from "../../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../../src/domain/shared/result.ts";
import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import { readSettings } from "../../../src/settings.ts";
import type { Env } from "../../protocol/env.ts";
import { openBinding } from "../../source/clickhouse/open-table.ts";
import type { StepContext } from "./context.ts";
import { deleteAll, stagedKey, stagedKeys, stagingKey } from "./scratch.ts";
import { pageScope, stagePage } from "./stage-page.ts";

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
  const { env, spec, snapshotStep } = context;
  const table = await openBinding(env, { id: spec.projectId, tenantId: spec.tenantId }, binding);
  if (!table.ok) return failed(context, { reason: "source", source: table.failure });
  if (context.progress().staging === null) {
    const begun = await begin(context, binding, table.value);
    if (!begun.ok) return failed(context, { reason: "source", source: begun.failure });
  }
  const { staging } = context.progress();
  if (staging === null || !context.isWanted()) return null;
  const stored = await storedStaging(env, staging);
  if (!isSameSource(stored.source, binding.source)) return dropStaging(context, staging);
  const segments = [...staging.segments];
  for (const [page, bounds] of stored.pages.entries()) {
    if (page < segments.length) continue;
    if (context.isTired()) return null;
    const key = stagedKey(staging, page);
    const staged = await stagePage(env, spec, table.value, { key, bounds, before: stored.before });
    if (!staged.ok && isChange(staged.failure)) return dropStaging(context, staging);
    if (!staged.ok) return failed(context, staged.failure);
    const segment = staged.value;
    if (!context.record({ type: "RecordPage", page, segment, snapshotStep, now: Date.now() })) return null;
    segments.push(segment);
  }
  return segments;
}

/** Gives up what was staged: the next attempt reads the table anew, or what came in here. */
export async function dropStaging(context: StepContext, staging: Staging): Promise<null> {
  const { snapshotStep } = context;
  // Recorded first: where a later step is at work, it still needs the pages.
  if (!context.record({ type: "DropStaging", snapshotStep, now: Date.now() })) return null;
  await deleteAll(context.env, stagedKeys(staging));
  return failed(context, { reason: "source", source: sourceFailure("rows_changed") });
}

/** Fixes what is read. */
async function begin(
  context: StepContext,
  { source, since }: TableBinding,
  table: ClickHouseTable,
): Promise<Result<null, SourceFailure>> {
  const { env, spec, snapshotStep } = context;
  const { ingested } = spec.partition;
  const before = ingested?.since === since ? ok(ingested.before) : await table.now();
  if (!before.ok) return before;
  const pages = await table.pages(pageScope(spec, before.value), readSettings(env).segmentRawBytes);
  if (!pages.ok) return pages;
  const key = stagingKey(spec, snapshotStep);
  const stored: StoredStaging = { source, before: before.value, pages: pages.value };
  await env.SEGMENTS.put(key, JSON.stringify(stored));
  const rows = pages.value.reduce((sum, page) => sum + page.rows, 0);
  const staging = { key, pages: pages.value.length, rows };
  context.record({ type: "RecordStaging", staging, snapshotStep, now: Date.now() });
  return ok(null);
}

async function storedStaging(env: Env, { key }: Staging): Promise<StoredStaging> {
  const object = await env.SEGMENTS.get(key);
  if (object === null) throw new Error("the run's list of pages is missing from scratch");
  return object.json<StoredStaging>();
}

const isChange = (failure: ExportRunFailure): boolean =>
  failure.reason === "source" && failure.source.reason === "rows_changed";

const failed = (context: StepContext, failure: ExportRunFailure): null => {
  context.record({ type: "RecordFailure", failure, now: Date.now() });
  return null;
};
