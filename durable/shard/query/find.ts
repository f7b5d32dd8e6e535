import { comparePositions, firstOf, placeBefore } from "../../../src/trace/query/order.ts";
import type { FoundRuns, RunQuestion } from "../../protocol/query.ts";
import { freshRow } from "../store/apply-changes.ts";
import { Search } from "./search.ts";
import { placeOf, segmentsWithChanges } from "./segments-with-changes.ts";
import type { ShardView } from "./shard-view.ts";

/**
 * Bytes read before a shard answers with what it has found so far. Segments that overlap in time are always read
 * together: only then is the order of their runs certain.
 */
const STEP_BYTES = 32 * 1024 * 1024;

/**
 * The runs of a shard that match the question, unsealed ones included. Seals nothing. null: segments changed during the
 * search, so the result is not certain.
 */
export async function findRuns(view: ShardView, question: RunQuestion): Promise<FoundRuns | null> {
  const { order, limit } = question;
  const commits = view.store.commits;
  const { fresh, sealed } = segmentsWithChanges(view.store, question);
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
    const first = placeBefore(order, order === "asc" ? part.minStart : part.maxStart);
    if (search.isPast(first)) break;
    const isProgress = question.after === null || comparePositions(order, question.after, first) < 0;
    if (search.readBytes >= STEP_BYTES && isProgress) {
      const certain = search.hits.filter((hit) => comparePositions(order, hit, first) < 0);
      return { ...firstOf({ hits: certain, stoppedAt: first }, limit), readBytes: search.readBytes };
    }
    if (!search.mayHold(part)) continue;
    await search.searchSegment(part, commits);
    if (view.store.commits !== commits) return null;
  }
  return { ...firstOf({ hits: search.hits, stoppedAt: null }, limit), readBytes: search.readBytes };
}
