import type { DerivedSegment, RunSpec } from "../../src/domain/run/events.ts";
import type { Window } from "../../src/domain/time.ts";
import { deriveSegment } from "../../src/parquet/derive.ts";
import type { SnapshotSegment } from "../../src/source/port.ts";
import type { StepContext } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { derivedKey } from "./scratch.ts";
import { readSegment } from "./segments.ts";

/**
 * Makes everything copyable, then plans the files. A segment that a window cuts, or that another codec is asked
 * for, becomes a new small segment in scratch; each one is a checkpoint.
 */
export async function prepare(context: StepContext, plans: FilePlans): Promise<void> {
  const segments = await plans.snapshot(context);
  const done = new Set(context.progress().derived.map((one) => one.index));
  for (const [index, segment] of segments.entries()) {
    if (done.has(index) || !needsDerivation(context, segment)) continue;
    if (context.isTired()) return;
    const derived = await derive(context, index, segment);
    if (!context.record({ type: "RecordDerived", derived, now: Date.now() })) return;
  }
  const files = await plans.load(context);
  context.record({
    type: "RecordPlan",
    files: files.length,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    now: Date.now(),
  });
}

/** Segments lie in zstd and whole; only that, inside one window that is meant, can be copied as it is. */
function needsDerivation({ spec }: StepContext, segment: SnapshotSegment): boolean {
  const isMeant = keepOf(spec, segment).some(({ start, end }) => segment.minStart >= start && segment.maxStart < end);
  return spec.compression !== "zstandard" || !isMeant;
}

async function derive({ env, spec }: StepContext, index: number, segment: SnapshotSegment): Promise<DerivedSegment> {
  const selection = { version: spec.formatVersion, fields: spec.exportFields };
  const made = deriveSegment(await readSegment(env, segment), {
    selection,
    codec: spec.compression,
    keep: keepOf(spec, segment),
  });
  if (made === null) return { index, segment: null };
  const key = derivedKey(spec, index);
  const object = await env.SEGMENTS.put(key, made.bytes);
  if (object === null) throw new Error("an unconditional PUT to SEGMENTS was refused");
  const { etag } = object;
  const { rows, minStart, maxStart } = made;
  return { index, segment: { key, etag, bytes: made.bytes.byteLength, rows, minStart, maxStart } };
}

const keepOf = (spec: RunSpec, segment: SnapshotSegment): readonly Window[] =>
  (segment.keep ?? [spec.partition]).map(({ start, end }) => ({ start: start * 1000, end: end * 1000 }));
