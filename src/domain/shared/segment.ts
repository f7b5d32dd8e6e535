import type { Window } from "./time.ts";

/**
 * One immutable Parquet file in the bucket `SEGMENTS`: exactly one row group, every physical column, rows of one
 * project and one UTC day. Failed runs come first, then the runs of each trace, parents before their children
 * (src/trace/segments/row-order.ts). zstd, data page version 1.
 */
export interface SegmentRef {
  readonly key: string;
  /** ETag of the object; a read fails if the object has another one. */
  readonly etag: string;
  readonly bytes: number;
  readonly rows: number;
  /** Minimum and maximum of `start_time`, in epoch microseconds. */
  readonly minStart: number;
  readonly maxStart: number;
}

/** A segment, and the selection of its rows. */
export interface SelectedSegment extends SegmentRef {
  /** Windows: only rows that began in one of them; null: those in the partition. The name is part of stored events. */
  readonly keep: readonly Window[] | null;
  /** `some`: some of these rows may not match the filter; absent: all match. */
  readonly matches?: "some";
}
