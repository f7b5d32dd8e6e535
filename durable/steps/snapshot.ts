import type { RunSpec } from "../../src/domain/run/events.ts";
import { acceptedFilter } from "../../src/filter/index.ts";
import type { Claim } from "../../src/source/port.ts";
import { builtInSource } from "../trace-source.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { snapshotKey } from "./scratch.ts";

/**
 * Fixes what the run exports: every run acknowledged so far whose start lies in the partition; segments of which the
 * filter matches none are left out.
 */
export async function takeSnapshot(context: StepContext, plans: FilePlans): Promise<void> {
  const { env, spec } = context;
  const { tenantId, projectId, shards, partition } = spec;
  const project = { tenantId, projectId, day: partition.day, shards };
  const { segments } = await builtInSource(env).snapshot(
    project,
    partition,
    claimOf(spec),
    acceptedFilter(spec.filter),
  );
  const key = snapshotKey(spec);
  const stored: StoredSnapshot = { segments: segments.map(({ footer: _, ...segment }) => segment) };
  await env.SEGMENTS.put(key, JSON.stringify(stored));
  const isWanted = context.record({
    type: "RecordSnapshot",
    snapshot: {
      key,
      segments: segments.length,
      rows: segments.reduce((sum, segment) => sum + segment.rows, 0),
      bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0),
    },
    now: Date.now(),
  });
  if (isWanted) plans.remember(segments);
}

const claimOf = ({ scheduleId, exportId, partition }: RunSpec): Claim | null =>
  scheduleId === undefined ? null : { scheduleId, exportId, kind: partition.late ? "late" : "main" };
