import type { SegmentRef } from "../../src/domain/segment.ts";
import { type Footer, readFooter } from "../../src/parquet/footer.ts";
import type { SnapshotSegment } from "../../src/source/port.ts";
import type { Env } from "../env.ts";

/** Bytes read at first to find a footer; one of 31 columns takes about 5 KiB. */
const FOOTER_GUESS_BYTES = 16 * 1024;

/** The whole object, as the snapshot saw it. */
export async function readSegment(env: Env, segment: SegmentRef): Promise<Uint8Array> {
  return readRange(env, segment, 0, segment.bytes);
}

/** Some bytes of a segment; insists on the object that the snapshot saw. */
export async function readRange(env: Env, segment: SegmentRef, offset: number, length: number): Promise<Uint8Array> {
  const object = await env.SEGMENTS.get(segment.key, {
    range: { offset, length },
    onlyIf: { etagMatches: segment.etag },
  });
  if (object === null || !("body" in object)) throw new Error(`segment ${segment.key} is gone or has changed`);
  return new Uint8Array(await object.arrayBuffer());
}

/** What the end of a segment says about its column chunks. */
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
