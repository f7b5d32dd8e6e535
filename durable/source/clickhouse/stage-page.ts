import type { ClickHouseTable, PageScope } from "../../../src/clickhouse/client.ts";
import type { PageBounds } from "../../../src/clickhouse/queries.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { Selection } from "../../../src/parquet/schema.ts";
import { importForeignChunks } from "../../../src/parquet/write/import-foreign-chunks.ts";
import type { Segment } from "../../../src/parquet/write/segment-writer.ts";
import { exportMemory, type Lease } from "../../concurrency/memory-budget.ts";

/** The page has other rows than at the count. */
export interface PageChanged {
  readonly reason: "page_changed";
}

/** Reads one page of a table and passes it as a segment to `put`, within the memory budget of exports. */
export async function stagePage<T>(
  table: ClickHouseTable,
  page: { readonly scope: PageScope; readonly bounds: PageBounds; readonly selection: Selection },
  put: (segment: Segment) => Promise<T>,
): Promise<Result<T, ExportRunFailure | PageChanged>> {
  const { scope, bounds, selection } = page;
  let lease: Lease | null = null as Lease | null;
  try {
    // The uncompressed size of a page is about the total size of its file and its segment.
    const file = await table.page(scope, bounds, async () => {
      lease = await exportMemory.acquire(bounds.bytes);
    });
    if (!file.ok) return fail({ reason: "source", source: file.failure });
    const made = importForeignChunks(file.value, selection);
    if (!made.ok && made.failure.reason === "not_adoptable")
      return fail({ reason: "processing", message: `a page of the table is not usable: ${made.failure.message}` });
    if (!made.ok || made.value.rows !== bounds.rows) return fail({ reason: "page_changed" });
    return ok(await put(made.value));
  } finally {
    lease?.release();
  }
}
