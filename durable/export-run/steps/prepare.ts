import { replacedBy } from "../../../src/domain/export-run/derived.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { StepContext } from "./context.ts";
import { deriveSegments } from "./derive.ts";
import type { FilePlans } from "./file-plans.ts";
import { isWhole } from "./windows.ts";

/**
 * Derives what cannot be copied, then plans the files. A segment that the window cuts, of which only some rows match the
 * filter, or that needs another codec becomes a new segment in scratch; each is a checkpoint.
 */
export async function prepare(context: StepContext, plans: FilePlans): Promise<void> {
  const segments = await plans.snapshot(context);
  const done = replacedBy(context.progress().derived);
  const due = [...segments.entries()]
    .filter(([index, segment]) => !done.has(index) && needsDerivation(context, segment))
    .map(([index, segment]) => ({ index, segment }));
  if (!(await deriveSegments(context, due, (held) => plans.hold(held)))) return;
  const files = await plans.load(context);
  context.record({
    type: "RecordPlan",
    files: files.length,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    now: Date.now(),
  });
}

/** Segments are written in zstd; one whose rows are all inside the window can be copied unchanged. */
const needsDerivation = ({ spec }: StepContext, segment: SnapshotSegment): boolean =>
  spec.compression !== "zstandard" || segment.matches === "some" || !isWhole(spec, segment);
