import { footerOfFile } from "../src/parquet/footer.ts";
import { feedbackOfRuns } from "../src/parquet/run-feedback.ts";
import { applyFeedback, feedbackEntries } from "../src/trace/feedback-list.ts";
import type { FeedbackEntry, FeedbackSaid } from "../src/trace/run-change.ts";
import type { RunFeedback } from "./trace-protocol.ts";
import type { TraceStore } from "./trace-store.ts";

/** The feedback on runs as it is now: that in the segments which hold them, and what has come since. */
export async function feedbackOn(
  store: TraceStore,
  bucket: R2Bucket,
  runIds: readonly string[],
): Promise<readonly RunFeedback[]> {
  // Both in one turn: what is sealed meanwhile is neither missed nor applied twice.
  const hot = Map.groupBy(store.hot.feedback(runIds), ({ id }) => id);
  const segments = [...new Set(store.segmentOf(runIds).values())].map((number) => ({
    key: store.objects.keyOf(number),
    footer: store.footer(number),
  }));
  const sealed = new Map<string, readonly FeedbackEntry[]>();
  for (const segment of segments)
    for (const [runId, list] of await listsIn(bucket, segment, new Set(runIds)))
      sealed.set(runId, feedbackEntries(new TextDecoder().decode(list)));
  return runIds.flatMap((runId) => {
    const said = (hot.get(runId) ?? []).flatMap(({ feedback }): FeedbackSaid[] =>
      feedback === null ? [] : [feedback],
    );
    return applyFeedback(sealed.get(runId) ?? [], said).map(({ id, json }) => ({ id, runId, json }));
  });
}

async function listsIn(
  bucket: R2Bucket,
  { key, footer }: { readonly key: string; readonly footer: Uint8Array | null },
  runIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = async (range?: R2Range): Promise<Uint8Array> => {
    const object = await bucket.get(key, range === undefined ? {} : { range });
    if (object === null) throw new Error(`the segment ${key} is missing from its bucket`);
    return new Uint8Array(await object.arrayBuffer());
  };
  return feedbackOfRuns(footer ?? footerOfFile(await read()), (offset, length) => read({ offset, length }), runIds);
}
