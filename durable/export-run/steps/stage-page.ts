import type { ClickHouseTable, PageScope } from "../../../src/clickhouse/client.ts";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { PageBounds } from "../../../src/clickhouse/queries.ts";
import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { importForeignChunks } from "../../../src/parquet/write/import-foreign-chunks.ts";
import { exportMemory, type Lease } from "../../concurrency/memory-budget.ts";
import type { Env } from "../../protocol/env.ts";
import { scopeOf } from "../../source/clickhouse/scope.ts";

/** One page of a table: where it is to lie, where it begins and ends, and the bound of the snapshot it belongs to. */
export interface DuePage {
  readonly key: string;
  readonly bounds: PageBounds;
  readonly before: number | null;
}

/** Brings one page of a table into scratch as a segment. Done twice, it leaves the same object. */
export async function stagePage(
  env: Env,
  spec: ExportRunSpec,
  table: ClickHouseTable,
  { key, bounds, before }: DuePage,
): Promise<Result<SegmentRef, ExportRunFailure>> {
  let lease: Lease | null = null as Lease | null;
  try {
    // A page before compression is about as large as its file and the segment made of it together.
    const file = await table.page(pageScope(spec, before), bounds, async () => {
      lease = await exportMemory.acquire(bounds.bytes);
    });
    if (!file.ok) return fail({ reason: "source", source: file.failure });
    const made = importForeignChunks(file.value, { version: spec.formatVersion, fields: spec.exportFields });
    if (!made.ok && made.failure.reason === "not_adoptable")
      return fail({ reason: "processing", message: `a page of the table is not usable: ${made.failure.message}` });
    if (!made.ok || made.value.rows !== bounds.rows)
      return fail({ reason: "source", source: sourceFailure("rows_changed") });
    const { rows, minStart, maxStart, bytes } = made.value;
    const object = await env.SEGMENTS.put(key, bytes);
    if (object === null) throw new Error("an unconditional PUT to SEGMENTS was refused");
    return ok({ key, etag: object.etag, bytes: bytes.byteLength, rows, minStart, maxStart });
  } finally {
    lease?.release();
  }
}

/** What the run wants of the table; `before`: the bound of its snapshot. */
export const pageScope = (
  { tenantId, projectId, partition, exportFields, filter }: ExportRunSpec,
  before: number | null,
): PageScope =>
  scopeOf({
    project: { id: projectId, tenantId },
    window: partition,
    exportFields,
    filter: acceptedFilter(filter),
    ingested: before === null ? null : { from: partition.ingested?.from ?? 0, before },
  });
