import type { Window } from "./time.ts";

/**
 * One immutable Parquet file in the bucket `SEGMENTS`: exactly one row group, every physical column, rows of one
 * project and one UTC day. Failed runs come first, then each trace stands together, parents before their children
 * (src/trace/segments/row-order.ts). zstd, data page version 1.
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

/** A segment, and which of its rows are meant. */
export interface SelectedSegment extends SegmentRef {
  /** Only those that began in one of these windows; null: those of the window asked for. */
  readonly keep: readonly Window[] | null;
  /** Of these, some may not match the filter asked for; absent: all do. */
  readonly matches?: "some";
}
