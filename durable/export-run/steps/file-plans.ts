import { replacedBy } from "../../../src/domain/export-run/derived.ts";
import type { DerivedSegment } from "../../../src/domain/export-run/events.ts";
import { footerOfFile } from "../../../src/parquet/footer.ts";
import { byteRangesBetween, type PlannedFile, planFiles } from "../../../src/parquet/plan.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import { READ_LANES, readRange, segmentFooter } from "../../segments/read-segment.ts";
import type { StepContext } from "./context.ts";
import { deriveAgain, type HeldSegment } from "./derive.ts";
import { FileDigest } from "./file-digest.ts";
import { snapshotSegments } from "./scratch.ts";

/** A segment to copy from. `held`: its bytes, if they are in memory only. */
interface PlannedSource extends SnapshotSegment {
  readonly held: Uint8Array | null;
}

/**
 * The plan of the files of an export run. It follows from the recorded segments alone, so it lives in memory only and is
 * made again after a restart: same segments, same files, same bytes.
 */
export class FilePlans {
  /** With footers, until the files are planned. */
  #snapshot: readonly SnapshotSegment[] | null = null;
  /** Digest of the file that is being written. */
  #digest: { readonly file: PlannedFile; readonly digest: FileDigest } | null = null;
  #plan: { readonly segments: readonly PlannedSource[]; readonly files: readonly PlannedFile[] } | null = null;
  #held: HeldSegment | null = null;

  /** Keeps the segments of a recorded snapshot, so that they need not be read back. */
  remember(segments: readonly SnapshotSegment[]): void {
    this.#snapshot = segments;
  }

  /** Keeps a derived segment that is no object. */
  hold(held: HeldSegment): void {
    this.#held = held;
  }

  /** The segments of the snapshot. */
  async snapshot(context: StepContext): Promise<readonly SnapshotSegment[]> {
    this.#snapshot ??= (await snapshotSegments(context)).map((segment) => ({ ...segment, footer: null }));
    return this.#snapshot;
  }

  /** The files, planned on the first call. */
  async load(context: StepContext): Promise<readonly PlannedFile[]> {
    return (await this.#loaded(context)).files;
  }

  /** Bytes `start` to `end` of a planned file, copied from its segments. */
  async bytes(context: StepContext, file: PlannedFile, start: number, end: number): Promise<Uint8Array> {
    const { segments } = await this.#loaded(context);
    const bytes = new Uint8Array(end - start);
    let position = 0;
    const placed = byteRangesBetween(file, start, end).map((range) => {
      const at = position;
      position += range.kind === "bytes" ? range.bytes.length : range.length;
      return { range, at };
    });
    await mapConcurrent(READ_LANES, placed, async ({ range, at }) => {
      if (range.kind === "bytes") return bytes.set(range.bytes, at);
      const segment = segments[range.segment];
      if (segment === undefined) throw new Error(`the plan names segment ${range.segment} of ${segments.length}`);
      const { offset, length } = range;
      const held = segment.held?.subarray(offset, offset + length);
      bytes.set(held ?? (await readRange(context.env, segment, offset, length)), at);
    });
    return bytes;
  }

  /** The digest of a file, with the parts that were hashed since this process started. */
  digestOf(file: PlannedFile): FileDigest {
    if (this.#digest?.file !== file) this.#digest = { file, digest: new FileDigest() };
    return this.#digest.digest;
  }

  async #loaded(context: StepContext) {
    if (this.#plan !== null) return this.#plan;
    const segments = await this.#sources(context);
    const footers = await mapConcurrent(READ_LANES, segments, (segment) => segmentFooter(context.env, segment));
    const { formatVersion, exportFields, limits } = context.spec;
    const files = planFiles(
      segments.map(({ bytes }, i) => ({ bytes, footer: footers[i] as NonNullable<(typeof footers)[number]> })),
      { version: formatVersion, fields: exportFields },
      limits.targetFileBytes,
    );
    this.#plan = { segments: segments.map((segment) => ({ ...segment, footer: null })), files };
    this.#snapshot = null;
    this.#held = null;
    return this.#plan;
  }

  /** The segments of the snapshot, with derived ones in place of their originals. */
  async #sources(context: StepContext): Promise<readonly PlannedSource[]> {
    const segments = await this.snapshot(context);
    const { derived } = context.progress();
    const replaced = replacedBy(derived);
    const sources: PlannedSource[] = [];
    const replacements = new Map(derived.map((one) => [one.index, one]));
    for (const [index, segment] of segments.entries()) {
      const replacement = replacements.get(index);
      if (!replaced.has(index)) sources.push({ ...segment, held: null });
      if (replacement === undefined || replacement.segment === null) continue;
      const held = replacement.isHeld ? await this.#heldBytes(context, replacement, segments) : null;
      const footer = held === null ? null : footerOfFile(held);
      sources.push({ ...replacement.segment, footer, keep: null, held });
    }
    return sources;
  }

  async #heldBytes(
    context: StepContext,
    derived: DerivedSegment,
    segments: readonly SnapshotSegment[],
  ): Promise<Uint8Array> {
    const { index, upTo = index } = derived;
    if (this.#held?.derived.index === index) return this.#held.bytes;
    const originals = segments.slice(index, upTo + 1).map((segment, place) => ({ index: index + place, segment }));
    return deriveAgain(context, derived, originals);
  }
}
