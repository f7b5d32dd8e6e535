import type { Window } from "../domain/time.ts";

/**
 * One immutable Parquet file in the bucket `SEGMENTS`: exactly one row group, every physical column, rows of one
 * project and one UTC day, ordered by (start_time, id). zstd, data page version 1.
 */
export interface SegmentRef {
  readonly key: string;
  /** ETag of the object, so that a read can insist on the bytes the snapshot saw. */
  readonly etag: string;
  readonly bytes: number;
  readonly rows: number;
  /** Least and greatest `start_time` in epoch microseconds. */
  readonly minStart: number;
  readonly maxStart: number;
}

/** A segment together with what spares its reader a look at it. */
export interface SnapshotSegment extends SegmentRef {
  /** The end of the file, from its metadata on; null when the source does not have it at hand. */
  readonly footer: Uint8Array | null;
}

/** What a source shows of one project and one UTC day at one instant: whole segments, in a fixed order. */
export interface Snapshot {
  readonly segments: readonly SnapshotSegment[];
}

/** Where runs come from. A snapshot holds every run that was acknowledged before it was asked for. */
export interface TraceSource {
  snapshot(project: ProjectDay, window: Window): Promise<Snapshot>;
}

export interface ProjectDay {
  readonly tenantId: string;
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Number of shards the project was created with. */
  readonly shards: number;
}
