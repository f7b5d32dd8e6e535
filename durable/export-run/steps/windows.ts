import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";

/** Half-open windows on `start_time`, in epoch microseconds. */
type MicrosWindow = { readonly start: number; readonly end: number };

/** The windows of which an export run takes the rows of a segment. */
export const windowsOf = (spec: ExportRunSpec, segment: SnapshotSegment): readonly MicrosWindow[] =>
  (segment.keep ?? [spec.partition]).map(({ start, end }) => ({ start: start * 1000, end: end * 1000 }));

/** Whether one window holds all rows of the segment. */
export const isWhole = (spec: ExportRunSpec, segment: SnapshotSegment): boolean =>
  windowsOf(spec, segment).some(({ start, end }) => segment.minStart >= start && segment.maxStart < end);
