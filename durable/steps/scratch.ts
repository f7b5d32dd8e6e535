import type { RunSpec } from "../../src/domain/run/events.ts";
import type { SegmentRef } from "../../src/source/port.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";

/** Objects in the bucket SEGMENTS that live as long as their run. Keys follow from the run, so doing twice is harmless. */

const scratchFolder = (spec: RunSpec): string => `scratch/${spec.exportId}/${spec.partition.ordinal}`;

export const snapshotKey = (spec: RunSpec): string => `${scratchFolder(spec)}/snapshot.json`;

export const derivedKey = (spec: RunSpec, index: number): string => `${scratchFolder(spec)}/${index}.parquet`;

/** The segments of the run's snapshot, with the derived ones in the places of their originals. */
export async function segmentsOf(context: StepContext): Promise<readonly SegmentRef[]> {
  const { segments } = await storedSnapshot(context);
  const derived = new Map(context.progress().derived.map((one) => [one.index, one.segment]));
  return segments.flatMap((segment, index) => {
    const replacement = derived.get(index);
    if (replacement === undefined) return [segment];
    return replacement === null ? [] : [replacement];
  });
}

export async function storedSnapshot({ env, spec }: StepContext): Promise<StoredSnapshot> {
  const object = await env.SEGMENTS.get(snapshotKey(spec));
  if (object === null) throw new Error("the run's snapshot is missing from scratch");
  return object.json<StoredSnapshot>();
}
