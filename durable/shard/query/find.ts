import { comparePositions, firstOf, placeBefore } from "../../../src/trace/query/order.ts";
import type { FoundRuns, RunQuestion } from "../../protocol/query.ts";
import { freshRow } from "../store/apply-changes.ts";
import { Search } from "./search.ts";
import { partsOf, placeOf } from "./segments-with-changes.ts";
import type { ShardView } from "./shard-view.ts";

/**
 * Bytes read before a shard answers with what it has found so far. Segments that overlap in time are read together all
 * the same, for only then it is certain which of their runs comes first.
 */
const STEP_BYTES = 32 * 1024 * 1024;

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
