import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { SelectedSegment } from "../../../src/domain/shared/segment.ts";
import type { Env } from "../../protocol/env.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";

/** Objects in the bucket SEGMENTS that live as long as their run. Keys follow from the run, so doing twice is harmless. */

/** Most keys that one call of R2 deletes. */
const DELETE_BATCH = 1000;

export async function deleteAll(env: Env, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += DELETE_BATCH) await env.SEGMENTS.delete(keys.slice(i, i + DELETE_BATCH));
}

const scratchFolder = (spec: ExportRunSpec): string => `scratch/${spec.exportId}/${spec.partition.ordinal}`;

export const snapshotKey = (spec: ExportRunSpec): string => `${scratchFolder(spec)}/snapshot.json`;

export const derivedKey = (spec: ExportRunSpec, index: number): string => `${scratchFolder(spec)}/${index}.parquet`;

export const stagingKey = (spec: ExportRunSpec): string => `${scratchFolder(spec)}/staging.json`;

/** Keys of so many pages of a table, from the first on. */
export const stagedKeys = (spec: ExportRunSpec, pages: number): readonly string[] =>
  Array.from({ length: pages }, (_, page) => stagedKey(spec, page));

export const stagedKey = (spec: ExportRunSpec, page: number): string => `${scratchFolder(spec)}/staged-${page}.parquet`;

/** The segments of the run's snapshot. */
export async function snapshotSegments({ env, spec, progress }: StepContext): Promise<readonly SelectedSegment[]> {
  const list = progress().snapshot?.list;
  if (list !== undefined) return list;
  const object = await env.SEGMENTS.get(snapshotKey(spec));
  if (object === null) throw new Error("the run's snapshot is missing from scratch");
  return (await object.json<StoredSnapshot>()).segments;
}
