import type { RunSpec } from "../../src/domain/run/events.ts";
import type { StepContext, StoredSnapshot } from "./context.ts";

/** Objects in the bucket SEGMENTS that live as long as their run. Keys follow from the run, so doing twice is harmless. */

const scratchFolder = (spec: RunSpec): string => `scratch/${spec.exportId}/${spec.partition.ordinal}`;

export const snapshotKey = (spec: RunSpec): string => `${scratchFolder(spec)}/snapshot.json`;

export const derivedKey = (spec: RunSpec, index: number): string => `${scratchFolder(spec)}/${index}.parquet`;

export async function storedSegments({ env, spec }: StepContext): Promise<StoredSnapshot["segments"]> {
  const object = await env.SEGMENTS.get(snapshotKey(spec));
  if (object === null) throw new Error("the run's snapshot is missing from scratch");
  return (await object.json<StoredSnapshot>()).segments;
}
