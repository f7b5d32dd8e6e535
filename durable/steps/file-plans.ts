import { type PlannedFile, piecesBetween, planFiles } from "../../src/parquet/plan.ts";
import type { SegmentRef } from "../../src/source/port.ts";
import type { StepContext } from "./context.ts";
import { inLanes } from "./lanes.ts";
import { segmentsOf } from "./scratch.ts";
import { readRange, readSegmentFooter } from "./segments.ts";

/** Simultaneous reads: the platform lets six connections wait at once (Workers limits). */
const READ_LANES = 6;

/**
 * The plan of a run's files. It follows from the snapshot alone, so it is kept in memory only and made again after a
 * restart: same segments, same files, same bytes.
 */
export class FilePlans {
  #plan: { readonly segments: readonly SegmentRef[]; readonly files: readonly PlannedFile[] } | null = null;

  async load(context: StepContext): Promise<readonly PlannedFile[]> {
    return (await this.#loaded(context)).files;
  }

  /** Bytes `start` to `end` of a planned file, copied from its segments. */
  async bytes(context: StepContext, file: PlannedFile, start: number, end: number): Promise<Uint8Array> {
    const { segments } = await this.#loaded(context);
    const bytes = new Uint8Array(end - start);
    let at = 0;
    for (const piece of piecesBetween(file, start, end)) {
      if (piece.kind === "bytes") {
        bytes.set(piece.bytes, at);
        at += piece.bytes.byteLength;
        continue;
      }
      const segment = segments[piece.segment];
      if (segment === undefined) throw new Error(`plan names segment ${piece.segment} of ${segments.length}`);
      bytes.set(await readRange(context.env, segment, piece.offset, piece.length), at);
      at += piece.length;
    }
    return bytes;
  }

  async #loaded(context: StepContext) {
    if (this.#plan !== null) return this.#plan;
    const segments = await segmentsOf(context);
    const footers = await inLanes(READ_LANES, segments, (segment) => readSegmentFooter(context.env, segment));
    const { formatVersion, exportFields, limits } = context.spec;
    const files = planFiles(
      segments.map(({ bytes }, i) => ({ bytes, footer: footers[i] as NonNullable<(typeof footers)[number]> })),
      { version: formatVersion, fields: exportFields },
      limits.targetFileBytes,
    );
    this.#plan = { segments, files };
    return this.#plan;
  }
}
