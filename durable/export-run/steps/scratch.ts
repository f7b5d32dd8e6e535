import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Progress, Staging } from "../../../src/domain/export-run/progress.ts";
import type { SegmentRef, SelectedSegment } from "../../../src/domain/shared/segment.ts";
import type { Segment } from "../../../src/parquet/write/segment-writer.ts";
import type { Env } from "../../protocol/env.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";

/**
 * Scratch: objects in the bucket SEGMENTS that live as long as their export run. Their keys follow from the export run,
 * so a repeated step writes the same object. What depends on the time of the step has a key per snapshot step: a step that
 * hung never overwrites what a later one wrote.
 */

/** Keys that one call to R2 can delete (Cloudflare: R2 Workers API). */
const DELETE_BATCH = 1000;

/** Deletes objects; missing ones are ignored. */
export async function deleteAll(env: Env, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += DELETE_BATCH) await env.SEGMENTS.delete(keys.slice(i, i + DELETE_BATCH));
}

const scratchFolder = (spec: ExportRunSpec): string => `scratch/${spec.exportId}/${spec.partition.ordinal}`;

export const snapshotKey = (spec: ExportRunSpec, step: number): string =>
  `${scratchFolder(spec)}/snapshot-${step}.json`;

export const derivedKey = (spec: ExportRunSpec, index: number): string => `${scratchFolder(spec)}/${index}.parquet`;

export const stagingKey = (spec: ExportRunSpec, step: number): string => `${scratchFolder(spec)}/staging-${step}.json`;

/** Keys of all pages, those that were recorded and those that may have been written. */
export const stagedKeys = (staging: Staging): readonly string[] =>
  Array.from({ length: staging.pages }, (_, page) => staging.segments[page]?.key ?? stagedKey(staging, page));

/** Key of one page, derived from the key of the plan of the pages. */
export const stagedKey = ({ key }: Staging, page: number): string => `${key.replace(".json", "")}-${page}.parquet`;

/** Keys of all objects that may be in scratch, including those that were written and never recorded. */
export function scratchKeys(spec: ExportRunSpec, progress: Progress): readonly string[] {
  const { snapshotSteps, snapshot, staging, dropped } = progress;
  const stagings = staging === null ? dropped : [...dropped, staging];
  const keys = [
    ...Array.from({ length: snapshotSteps }, (_, n) => [snapshotKey(spec, n + 1), stagingKey(spec, n + 1)]).flat(),
    ...stagings.flatMap((one) => [one.key, ...stagedKeys(one)]),
    ...(snapshot === null ? [] : [snapshot.key]),
    ...Array.from({ length: snapshot?.segments ?? 0 }, (_, index) => derivedKey(spec, index)),
  ];
  return [...new Set(keys)];
}

/** The segments of the snapshot, from the log or from scratch. */
export async function snapshotSegments({ env, progress }: StepContext): Promise<readonly SelectedSegment[]> {
  const { snapshot } = progress();
  if (snapshot?.list !== undefined) return snapshot.list;
  const object = snapshot === null ? null : await env.SEGMENTS.get(snapshot.key);
  if (object === null) throw new Error("the list of segments of the snapshot is missing from scratch");
  return (await object.json<StoredSnapshot>()).segments;
}

/** Writes a segment; the same bytes again leave the same object. */
export async function putSegment(env: Env, key: string, segment: Segment): Promise<SegmentRef> {
  const object = await env.SEGMENTS.put(key, segment.bytes);
  if (object === null) throw new Error("an unconditional PUT to SEGMENTS was refused");
  return segmentRef(key, object.etag, segment);
}

export const segmentRef = (key: string, etag: string, { bytes, rows, minStart, maxStart }: Segment): SegmentRef => ({
  ...{ key, etag, bytes: bytes.byteLength },
  ...{ rows, minStart, maxStart },
});
