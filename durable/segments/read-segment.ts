import type { SegmentRef } from "../../src/domain/shared/segment.ts";
import type { ColumnName } from "../../src/parquet/columns.ts";
import { type Footer, readFooter } from "../../src/parquet/footer.ts";
import { type LoadedChunks, loadedIn, rangesFor } from "../../src/parquet/read/loaded-chunks.ts";
import type { Env } from "../protocol/env.ts";
import type { SnapshotSegment } from "../protocol/snapshot.ts";

/** Simultaneous reads: the platform lets six connections wait at once (Cloudflare: Workers limits). */
export const READ_LANES = 6;

/** Size of the first read of a footer; a footer of 31 columns has about 5 KiB. */
const FOOTER_GUESS_BYTES = 16 * 1024;

/** A segment of a snapshot was deleted or replaced; a retry will not find it either. */
export class SegmentGone extends Error {}

/** Reads some columns of a segment, and the bytes between them if that saves requests. */
export async function readColumns(
  env: Env,
  segment: SegmentRef,
  footer: Footer,
  columns: ReadonlySet<ColumnName>,
): Promise<LoadedChunks> {
  const ranges = rangesFor(footer, columns);
  const bytes = ranges.map(({ offset, length }) => readRange(env, segment, offset, length));
  return loadedIn(ranges, await Promise.all(bytes));
}

/** Reads some bytes of exactly the object that is in the snapshot; throws SegmentGone if it is no longer there. */
export async function readRange(env: Env, segment: SegmentRef, offset: number, length: number): Promise<Uint8Array> {
  const object = await env.SEGMENTS.get(segment.key, {
    range: { offset, length },
    onlyIf: { etagMatches: segment.etag },
  });
  if (object === null || !("body" in object)) throw new SegmentGone(segment.key);
  return new Uint8Array(await object.arrayBuffer());
}

/** The footer of a segment: from the snapshot, or read from the object. */
export async function segmentFooter(env: Env, segment: SnapshotSegment): Promise<Footer> {
  const carried = segment.footer === null ? null : readFooter(segment.footer);
  return carried?.ok ? carried.value : readSegmentFooter(env, segment);
}

async function readSegmentFooter(env: Env, segment: SegmentRef): Promise<Footer> {
  let length = Math.min(FOOTER_GUESS_BYTES, segment.bytes);
  for (;;) {
    const footer = readFooter(await readRange(env, segment, segment.bytes - length, length));
    if (footer.ok) return footer.value;
    if (footer.failure.reason === "not_a_segment" || length === segment.bytes)
      throw new Error(`segment ${segment.key} has no footer`);
    length = Math.min(footer.failure.neededBytes, segment.bytes);
  }
}
