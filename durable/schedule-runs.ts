import type { ExportRunRecord } from "../src/domain/records.ts";
import { bulkExport } from "./actors.ts";
import type { Env } from "./env.ts";
import { FIRST_PART, PART_CHARACTERS, type Part, type PartQuery } from "./parts.ts";

/**
 * A part of the runs of the exports that a schedule spawned, in the exports' order; no more of them are asked than fill
 * it. `after` names the export and the run that were the last ones.
 */
export async function runsOfSpawned(
  env: Env,
  exportIds: readonly string[],
  { after, offset, limit }: PartQuery,
): Promise<Part<ExportRunRecord>> {
  const [lastExport, lastRun] = after?.split("/") ?? [];
  const items: ExportRunRecord[] = [];
  let toSkip = after === null ? offset : 0;
  let characters = 0;
  for (const id of exportIds.slice(lastExport === undefined ? 0 : exportIds.indexOf(lastExport))) {
    let behind: string | null = id === lastExport ? (lastRun ?? null) : null;
    do {
      const part: Part<ExportRunRecord> = await bulkExport(env, id).runs({ ...FIRST_PART, after: behind });
      const runs = part.items.slice(toSkip);
      toSkip -= part.items.length - runs.length;
      for (const run of runs) {
        items.push(run);
        characters += JSON.stringify(run).length;
        if (items.length === limit) return { items, next: null };
        if (characters >= PART_CHARACTERS) return { items, next: `${id}/${run.id}` };
      }
      behind = part.next;
    } while (behind !== null);
  }
  return { items, next: null };
}
