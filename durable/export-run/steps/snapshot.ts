import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { workspace } from "../../protocol/actors.ts";
import type { Claim, SnapshotSegment } from "../../protocol/snapshot.ts";
import { builtInSource } from "../../source/built-in.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { snapshotKey } from "./scratch.ts";
import { dropStaging, stageTable } from "./stage.ts";

/** A list of about a hundred segments stands in the log, which costs a tenth of what an object does. */
const SHORT_LIST_CHARACTERS = 32 * 1024;

/**
 * Fixes what the run exports: every run acknowledged so far whose start lies in the partition; segments of which the
 * filter matches none are left out.
 */
export async function takeSnapshot(context: StepContext, plans: FilePlans): Promise<void> {
  const { env, spec, snapshotStep } = context;
  const segments = await segmentsOf(context);
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

/** null: not all of them are there yet, or it is recorded why not. */
async function segmentsOf(context: StepContext): Promise<readonly SnapshotSegment[] | null> {
  const { env, spec } = context;
  const { tenantId, projectId, shards, partition } = spec;
  const { late, ingested } = partition;
  const { staging } = context.progress();
  // What came in here too late for a schedule stands in no table.
  const isInTable = !late || ingested !== undefined;
  const binding = isInTable ? await workspace(env, tenantId).binding(projectId) : null;
  // Late rows of a table that the project is bound to no longer are out of reach.
  if (late && isInTable && binding?.since !== ingested?.since)
    return staging === null ? [] : dropStaging(context, staging);
  if (binding === null) {
    if (staging !== null) return dropStaging(context, staging);
    const project = { tenantId, projectId, day: partition.day, shards };
    const filter = acceptedFilter(spec.filter);
    return (await builtInSource(env).snapshot(project, partition, claimOf(spec), filter)).segments;
  }
  const staged = await stageTable(context, binding);
  return staged?.map((segment) => ({ ...segment, footer: null, keep: null })) ?? null;
}

const claimOf = ({ scheduleId, exportId, partition }: ExportRunSpec): Claim | null =>
  scheduleId === undefined ? null : { scheduleId, exportId, kind: partition.late ? "late" : "main" };
