import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";

/** The windows of which an export run takes the rows of a segment. */
export const windowsOf = (spec: ExportRunSpec, segment: SnapshotSegment): readonly Window[] =>
  segment.keep ?? [spec.partition];

/** Whether one window holds all rows of the segment. */
export const isWhole = (spec: ExportRunSpec, segment: SnapshotSegment): boolean =>
  windowsOf(spec, segment).some(({ start, end }) => segment.minStart >= start && segment.maxStart < end);
