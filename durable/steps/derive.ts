import type { DerivedSegment } from "../../src/domain/run/events.ts";
import type { SegmentRef } from "../../src/domain/segment.ts";
import { RowGatherer } from "../../src/parquet/gather.ts";
import { recodedSegment } from "../../src/parquet/recode.ts";
import type { Segment } from "../../src/parquet/segment-writer.ts";
import type { SnapshotSegment } from "../../src/source/port.ts";
import type { Env } from "../env.ts";
import { ahead } from "./ahead.ts";
import type { StepContext } from "./context.ts";
import { type Chosen, chosenReader } from "./read-chosen.ts";
import { derivedKey } from "./scratch.ts";
import { READ_LANES } from "./segments.ts";

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
const GATHERED_SEGMENTS = 32;

/** Puts derived segments in the places of the due ones. False: it gave way, or is not wanted any more. */
export async function deriveSegments(context: StepContext, due: readonly DueSegment[]): Promise<boolean> {
  for await (const derived of derivedSegments(context, due)) {
    if (!context.record({ type: "RecordDerived", derived, now: Date.now() })) return false;
    if (context.isTired()) return false;
  }
  return true;
}

/**
 * Rows of neighbours are gathered into one segment. Where one begins and ends follows from the originals alone, so that
 * the same key always has the same bytes.
 */
async function* derivedSegments(
  { env, spec }: StepContext,
  due: readonly DueSegment[],
): AsyncGenerator<DerivedSegment> {
  const read = chosenReader(env, spec);
  const begin = async (one: DueSegment) => ({ ...one, chosen: await read(one.segment) });
  const selection = { version: spec.formatVersion, fields: spec.exportFields };
  let open = null as Gathering | null;
  const close = async ({ index, upTo, rows }: Gathering): Promise<DerivedSegment> => {
    const segment = rows === null ? null : await store(env, derivedKey(spec, index), rows.finish());
    return upTo === index ? { index, segment } : { index, upTo, segment };
  };
  for await (const { index, segment, chosen } of ahead(READ_LANES, due, begin, ({ chosen }) => chosen.leave())) {
    try {
      if (open !== null && !goesOn(open, index, chosen)) {
        yield await close(open);
        open = null;
      }
      switch (chosen.kind) {
        case "itself": {
          const { key, etag, bytes, rows, minStart, maxStart } = segment;
          yield { index, segment: { key, etag, bytes, rows, minStart, maxStart } };
          break;
        }
        case "all": {
          const bytes = recodedSegment(chosen.held, segment.rows, { selection, codec: spec.compression });
          yield { index, segment: await store(env, derivedKey(spec, index), { ...segment, bytes }) };
          break;
        }
        case "some": {
          const rows: RowGatherer = open?.rows ?? new RowGatherer(selection, spec.compression);
          rows.add(chosen.held, chosen.selected);
          open = { index: open?.index ?? index, upTo: index, rows };
          break;
        }
        case "nothing":
          open = { index: open?.index ?? index, upTo: index, rows: open?.rows ?? null };
      }
    } finally {
      chosen.leave();
    }
  }
  if (open !== null) yield await close(open);
}

/** Positions from one to another, and the rows gathered of them; null: none yet. */
interface Gathering {
  readonly index: number;
  readonly upTo: number;
  readonly rows: RowGatherer | null;
}

const goesOn = ({ index, upTo, rows }: Gathering, next: number, { kind }: Chosen): boolean =>
  (kind === "some" || kind === "nothing") &&
  next === upTo + 1 &&
  next - index < GATHERED_SEGMENTS &&
  (rows?.rawBytes ?? 0) < GATHERED_BYTES;

async function store(env: Env, key: string, { bytes, rows, minStart, maxStart }: Segment): Promise<SegmentRef> {
  const object = await env.SEGMENTS.put(key, bytes);
  if (object === null) throw new Error("an unconditional PUT to SEGMENTS was refused");
  return { key, etag: object.etag, bytes: bytes.byteLength, rows, minStart, maxStart };
}
