import { builtInSource } from "../trace-source.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";
import { snapshotKey } from "./scratch.ts";

/** Fixes what the run exports: every run acknowledged so far whose start lies in the partition. */
export async function takeSnapshot(context: StepContext): Promise<void> {
  const { env, spec } = context;
  const { tenantId, projectId, shards, partition } = spec;
  const project = { tenantId, projectId, day: partition.day, shards };
  const snapshot: StoredSnapshot = await builtInSource(env).snapshot(project, partition);
  const key = snapshotKey(spec);
  await env.SEGMENTS.put(key, JSON.stringify({ segments: snapshot.segments }));
  const { segments } = snapshot;
  context.record({
    type: "RecordSnapshot",
    snapshot: {
      key,
      segments: segments.length,
      rows: segments.reduce((sum, segment) => sum + segment.rows, 0),
      bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0),
    },
    now: Date.now(),
  });
}
