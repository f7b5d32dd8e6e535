import { type Footer, type PlacedChunk, readFooter } from "../footer.ts";
import { strings, texts } from "./column-readers.ts";
import { chunkOf } from "./segment-reader.ts";

/** Reads a range of a segment. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * The JSON lists of feedback in a segment for the runs, by run id. Reads only two columns, and the second one only if
 * it has values.
 */
export async function feedbackOfRuns(
  footerBytes: Uint8Array,
  read: ReadRange,
  runIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const footer = footerOf(footerBytes);
  const feedback = chunkOf(footer, "_feedback");
  if (feedback.statistics.nulls === footer.rows) return new Map();
  const ids = await valuesOf(chunkOf(footer, "id"), read, strings);
  const lists = await valuesOf(feedback, read, texts);
  return new Map(
    ids.flatMap((id, row) => {
      const list = lists[row] ?? null;
      return id !== null && list !== null && runIds.has(id) ? [[id, list] as const] : [];
    }),
  );
}

async function valuesOf<T>(
  chunk: PlacedChunk,
  read: ReadRange,
  decode: (file: Uint8Array, chunk: PlacedChunk) => Iterable<T>,
): Promise<readonly T[]> {
  return [...decode(await read(chunk.offset, chunk.bytes), { ...chunk, offset: 0 })];
}

function footerOf(bytes: Uint8Array): Footer {
  const footer = readFooter(bytes);
  if (!footer.ok) throw new Error(`not the end of a segment: ${footer.failure.reason}`);
  return footer.value;
}
