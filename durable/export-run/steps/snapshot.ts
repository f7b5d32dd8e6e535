import { sourceOfPartition } from "../../source/source-of.ts";
import { recordFailure, type StepContext, type StoredSnapshot } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { snapshotKey } from "./scratch.ts";
import { stagingArea } from "./staging.ts";

/**
 * Up to this length the list of segments (about a hundred) is stored in the log, at a tenth of the cost of an object.
 */
const SHORT_LIST_CHARACTERS = 32 * 1024;

/** Fixes what the export run exports: the source answers with segments, and their list is recorded. */
export async function takeSnapshot(context: StepContext, plans: FilePlans): Promise<void> {
  const { env, spec, snapshotStep } = context;
  const source = await sourceOfPartition(env, spec, spec.partition);
  const taken = await source.snapshot(spec, stagingArea(context));
  if (!taken.ok) return recordFailure(context, taken.failure);
  const segments = taken.value;
  if (segments === null || !context.isWanted()) return;
  const key = snapshotKey(spec, snapshotStep);
  const list = segments.map(({ footer: _, ...segment }) => segment);
  const text = JSON.stringify({ segments: list } satisfies StoredSnapshot);
  const isShort = text.length <= SHORT_LIST_CHARACTERS;
  if (!isShort) await env.SEGMENTS.put(key, text);
  const isWanted = context.record({
    type: "RecordSnapshot",
    snapshot: {
      key,
      ...(isShort ? { list } : {}),
      segments: segments.length,
      rows: segments.reduce((sum, segment) => sum + segment.rows, 0),
      bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0),
    },
    snapshotStep,
    now: Date.now(),
  });
  if (isWanted) plans.remember(segments);
}
