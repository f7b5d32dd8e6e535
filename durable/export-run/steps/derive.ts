import { createHash } from "node:crypto";
import type { DerivedSegment } from "../../../src/domain/export-run/events.ts";
import { RowCollector } from "../../../src/parquet/write/collect-rows.ts";
import { recodedSegment } from "../../../src/parquet/write/recode.ts";
import { prefetch } from "../../concurrency/prefetch.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { READ_LANES } from "../../segments/read-segment.ts";
import type { StepContext } from "./context.ts";
import { type Chosen, chosenReader } from "./read-selected-rows.ts";
import { derivedKey, putSegment, segmentRef } from "./scratch.ts";

/** A segment of the snapshot, with its position there. */
export interface DueSegment {
  readonly index: number;
  readonly segment: SnapshotSegment;
}

/**
 * What a derived segment may gather: uncompressed bytes after which it takes no more, so that it is at most about as
 * large as a sealed one and half, and originals looked at, so that a checkpoint comes within seconds.
 */
const GATHERED_BYTES = 8 * 1024 * 1024;
const GATHERED_SEGMENTS = 64;

/**
 * The last derived segment of a run, when it is no larger than this, is held in memory until it is exported: for a
 * filter that few rows match it is the only one, and to make it again costs less than an object does.
 */
const HELD_BYTES = 1024 * 1024;

/** A derived segment that is in memory only. */
export interface HeldSegment {
  readonly derived: DerivedSegment;
  readonly bytes: Uint8Array;
}

/** Puts derived segments in the places of the due ones. False: it gave way, or is not wanted any more. */
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

/** The bytes of a derived segment that was held in memory, made of its originals again. */
export async function deriveAgain(
  context: StepContext,
  derived: DerivedSegment,
  originals: readonly DueSegment[],
): Promise<Uint8Array> {
  for await (const again of derivedSegments(context, originals))
    if (again.bytes !== null && again.derived.segment?.etag === derived.segment?.etag) return again.bytes;
  throw new Error(`derived segment ${derived.index} could not be made again as it was`);
}

/** With the bytes of one that is to be held; null: it is an object, or none. */
interface Made {
  readonly derived: DerivedSegment;
  readonly bytes: Uint8Array | null;
}

/**
 * Rows of neighbours are gathered into one segment. Where one begins and ends follows from the originals alone, so that
 * the same key always has the same bytes.
 */
async function* derivedSegments(context: StepContext, due: readonly DueSegment[]): AsyncGenerator<Made> {
  const { env, spec } = context;
  const read = chosenReader(env, spec);
  const begin = async (one: DueSegment) => ({ ...one, chosen: await read(one.segment) });
  const selection = { version: spec.formatVersion, fields: spec.exportFields };
  let open = null as Gathering | null;
  const close = async ({ index, upTo, rows }: Gathering, isLast: boolean): Promise<Made> => {
    const place = upTo === index ? { index } : { index, upTo };
    if (rows === null) return { derived: { ...place, segment: null }, bytes: null };
    const made = rows.finish();
    const key = derivedKey(spec, index);
    if (!isLast || made.bytes.length > HELD_BYTES)
      return { derived: { ...place, segment: await putSegment(env, key, made) }, bytes: null };
    const segment = segmentRef(key, createHash("md5").update(made.bytes).digest("hex"), made);
    return { derived: { ...place, segment, isHeld: true }, bytes: made.bytes };
  };
  for await (const { index, segment, chosen } of prefetch(READ_LANES, due, begin, ({ chosen }) =>
    chosen.lease.release(),
  )) {
    try {
      if (!context.isWanted()) return; // it waited for long: whoever ended the run has cleaned up already
      if (open !== null && !goesOn(open, index, chosen)) {
        yield await close(open, false);
        open = null;
      }
      switch (chosen.kind) {
        case "itself": {
          const { key, etag, bytes, rows, minStart, maxStart } = segment;
          yield { derived: { index, segment: { key, etag, bytes, rows, minStart, maxStart } }, bytes: null };
          break;
        }
        case "all": {
          const bytes = recodedSegment(chosen.held, segment.rows, { selection, codec: spec.compression });
          const stored = await putSegment(env, derivedKey(spec, index), { ...segment, bytes });
          yield { derived: { index, segment: stored }, bytes: null };
          break;
        }
        case "some": {
          const rows: RowCollector = open?.rows ?? new RowCollector(selection, spec.compression);
          rows.add(chosen.held, chosen.selected);
          open = { index: open?.index ?? index, upTo: index, rows };
          break;
        }
        case "nothing":
          open = { index: open?.index ?? index, upTo: index, rows: open?.rows ?? null };
      }
    } finally {
      chosen.lease.release();
    }
  }
  if (open !== null) yield await close(open, true);
}

/** Positions from one to another, and the rows gathered of them; null: none yet. */
interface Gathering {
  readonly index: number;
  readonly upTo: number;
  readonly rows: RowCollector | null;
}

const goesOn = ({ index, upTo, rows }: Gathering, next: number, { kind }: Chosen): boolean =>
  (kind === "some" || kind === "nothing") &&
  next === upTo + 1 &&
  next - index < GATHERED_SEGMENTS &&
  (rows?.rawBytes ?? 0) < GATHERED_BYTES;
