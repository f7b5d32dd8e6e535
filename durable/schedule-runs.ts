import { partitionsOfExport } from "../src/domain/partitions.ts";
import type { ExportDefinition, ExportRunRecord } from "../src/domain/records.ts";
import { bulkExport } from "./actors.ts";
import type { Env } from "./env.ts";
import { type Part, type PartQuery, partOf } from "./parts.ts";
import { runIdOf } from "./run-ids.ts";

/**
 * A part of the runs of the exports that a schedule spawned, in the exports' order. Which runs an export has follows
 * from what it was asked for, so only those in the part are named and asked, however many lie before it.
 */
export function runsOfSpawned(
  env: Env,
  spawned: readonly ExportDefinition[],
  query: PartQuery,
): Promise<Part<ExportRunRecord>> {
  const places = spawned.flatMap((definition) =>
    partitionsOfExport(definition).map(({ ordinal }) => `${definition.id}/${ordinal}`),
  );
  return partOf(places, query, async (place) => {
    const [exportId = "", ordinal] = place.split("/");
    return bulkExport(env, exportId).run(runIdOf(exportId, Number(ordinal)));
  });
}
