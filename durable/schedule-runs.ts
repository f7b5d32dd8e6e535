import type { ExportRunRecord, Page } from "../src/domain/records.ts";
import type { KnownExport } from "../src/domain/workspace/state.ts";
import { bulkExport } from "./actors.ts";
import type { Env } from "./env.ts";
import { pageOf } from "./page.ts";

/** A page of the runs of the exports that a schedule spawned, in the exports' order; no more of them are asked than fill it. */
export async function runsOfSpawned(
  env: Env,
  exports: readonly KnownExport[],
  page: Page,
): Promise<readonly ExportRunRecord[]> {
  const enough = page.limit === null ? Number.POSITIVE_INFINITY : page.offset + page.limit;
  const runs: ExportRunRecord[] = [];
  for (const { definition } of exports) {
    if (runs.length >= enough) break;
    runs.push(...(await bulkExport(env, definition.id).runs({ offset: 0, limit: null })));
  }
  return pageOf(runs, page);
}
