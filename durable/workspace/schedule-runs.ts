import { countPartitions } from "../../src/domain/export/partitions.ts";
import type { ExportDefinition } from "../../src/domain/export/records.ts";
import { exportRunIdOf } from "../../src/domain/export/run-ids.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import { bulkExport } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery, listedIds } from "../protocol/list-batch.ts";

/**
 * A batch of the runs of the exports that a schedule spawned, in the order of the exports. The definition of an export
 * determines its runs, so only the exports of this batch are read.
 */
export function runsOfSpawned(
  env: Env,
  spawned: readonly ExportDefinition[],
  query: ListBatchQuery,
): Promise<ListBatch<ExportRunRecord>> {
  const places = spawned.flatMap((definition) =>
    Array.from({ length: countPartitions(definition) }, (_, ordinal) => `${definition.id}/${ordinal}`),
  );
  return batchOf(listedIds(places), query, async (place) => {
    const [exportId = "", ordinal] = place.split("/");
    return bulkExport(env, exportId).run(exportRunIdOf(exportId, Number(ordinal)));
  });
}
