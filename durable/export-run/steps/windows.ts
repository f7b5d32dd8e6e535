import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";

/** Half-open windows on `start_time`, in epoch microseconds. */
type MicrosWindow = { readonly start: number; readonly end: number };

/** The windows whose rows a run wants of a segment. */
export const windowsOf = (spec: ExportRunSpec, segment: SnapshotSegment): readonly MicrosWindow[] =>
  (segment.keep ?? [spec.partition]).map(({ start, end }) => ({ start: start * 1000, end: end * 1000 }));

/** Whether the window does not cut the segment: one holds all of its rows. */
export const isWhole = (spec: ExportRunSpec, segment: SnapshotSegment): boolean =>
  windowsOf(spec, segment).some(({ start, end }) => segment.minStart >= start && segment.maxStart < end);
