import { createHash } from "node:crypto";
import type { DerivedSegment } from "../../../src/domain/export-run/events.ts";
import { RowCollector } from "../../../src/parquet/write/collect-rows.ts";
import { recodedSegment } from "../../../src/parquet/write/recode.ts";
import { prefetch } from "../../concurrency/prefetch.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { READ_LANES } from "../../segments/read-segment.ts";
import type { StepContext } from "./context.ts";
import { type TakenRows, takenRowsReader } from "./read-taken-rows.ts";
import { derivedKey, putSegment, segmentRef } from "./scratch.ts";

/** A segment of the snapshot, with its position there. */
export interface DueSegment {
  readonly index: number;
  readonly segment: SnapshotSegment;
}

/** Uncompressed bytes after which a derived segment takes no further original: it stays below 1.5 sealed segments. */
const MAX_COLLECTED_BYTES = 8 * 1024 * 1024;

/** Originals that one derived segment covers, so that a checkpoint comes within seconds. */
const MAX_COLLECTED_SEGMENTS = 64;

/**
 * Up to this size the last derived segment of an export run stays in memory instead of an object: for a filter that few
 * rows match it is the only one, and deriving it again costs less than an object.
 */
const MAX_HELD_BYTES = 1024 * 1024;

/** A derived segment that is in memory only. */
export interface HeldSegment {
  readonly derived: DerivedSegment;
  readonly bytes: Uint8Array;
}

/** Derives and records segments in place of the due ones. False: the step should leave before all are done. */
export async function deriveSegments(
  context: StepContext,
  due: readonly DueSegment[],
  hold: (held: HeldSegment) => void,
): Promise<boolean> {
  for await (const { derived, bytes } of derivedSegments(context, due)) {
    if (!context.record({ type: "RecordDerived", derived, now: Date.now() })) return false;
    if (bytes !== null) hold({ derived, bytes });
    if (context.isTired()) return false;
  }
  return context.isWanted();
}

/** The bytes of a derived segment that was held in memory, derived from its originals again. */
export async function deriveAgain(
  context: StepContext,
  derived: DerivedSegment,
  originals: readonly DueSegment[],
): Promise<Uint8Array> {
  for await (const again of derivedSegments(context, originals))
    if (again.bytes !== null && again.derived.segment?.etag === derived.segment?.etag) return again.bytes;
  throw new Error(`derived segment ${derived.index} was derived again with other bytes`);
}

/** `bytes`: of a segment to hold in memory; null: it is an object, or has no rows. */
interface Derived {
  readonly derived: DerivedSegment;
  readonly bytes: Uint8Array | null;
}

/**
 * Collects the rows of neighbours into one segment. Where a derived segment begins and ends follows from the originals
 * alone, so the same key always has the same bytes.
 */
async function* derivedSegments(context: StepContext, due: readonly DueSegment[]): AsyncGenerator<Derived> {
  const { env, spec } = context;
  const read = takenRowsReader(context);
  const begin = async (one: DueSegment) => ({ ...one, taken: await read(one.segment) });
  const selection = { version: spec.formatVersion, fields: spec.exportFields };
  let open = null as OpenSegment | null;
  const close = async ({ index, upTo, rows }: OpenSegment, isLast: boolean): Promise<Derived> => {
    const place = upTo === index ? { index } : { index, upTo };
    if (rows === null) return { derived: { ...place, segment: null }, bytes: null };
    const made = rows.finish();
    const key = derivedKey(spec, index);
    if (!isLast || made.bytes.length > MAX_HELD_BYTES)
      return { derived: { ...place, segment: await putSegment(env, key, made) }, bytes: null };
    const segment = segmentRef(key, createHash("md5").update(made.bytes).digest("hex"), made);
    return { derived: { ...place, segment, isHeld: true }, bytes: made.bytes };
  };
  const readAhead = prefetch(READ_LANES, due, begin, ({ taken }) => taken.lease.release());
  for await (const { index, segment, taken } of readAhead) {
    try {
      if (!context.isWanted()) return; // reading took long, and scratch may have been cleaned meanwhile
      if (open !== null && !continues(open, index, taken)) {
        yield await close(open, false);
        open = null;
      }
      switch (taken.kind) {
        case "copy": {
          const { key, etag, bytes, rows, minStart, maxStart } = segment;
          yield { derived: { index, segment: { key, etag, bytes, rows, minStart, maxStart } }, bytes: null };
          break;
        }
        case "all": {
          const bytes = recodedSegment(taken.chunks, segment.rows, { selection, codec: spec.compression });
          const stored = await putSegment(env, derivedKey(spec, index), { ...segment, bytes });
          yield { derived: { index, segment: stored }, bytes: null };
          break;
        }
        case "some": {
          const rows: RowCollector = open?.rows ?? new RowCollector(selection, spec.compression);
          rows.add(taken.chunks, taken.selected);
          open = { index: open?.index ?? index, upTo: index, rows };
          break;
        }
        case "none":
          open = { index: open?.index ?? index, upTo: index, rows: open?.rows ?? null };
      }
    } finally {
      taken.lease.release();
    }
  }
  if (open !== null) yield await close(open, true);
}

/** A derived segment that may take further originals: the positions it covers, and their rows; null: none so far. */
interface OpenSegment {
  readonly index: number;
  readonly upTo: number;
  readonly rows: RowCollector | null;
}

const continues = ({ index, upTo, rows }: OpenSegment, next: number, { kind }: TakenRows): boolean =>
  (kind === "some" || kind === "none") &&
  next === upTo + 1 &&
  next - index < MAX_COLLECTED_SEGMENTS &&
  (rows?.rawBytes ?? 0) < MAX_COLLECTED_BYTES;
