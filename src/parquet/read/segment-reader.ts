import type { ColumnName } from "../columns.ts";
import { type Footer, type PlacedChunk, readFooter } from "../footer.ts";

/** The footer of bytes that are known to be a whole segment. */
export const segmentFooter = (bytes: Uint8Array): Footer => {
  const footer = readFooter(bytes);
  if (footer.ok) return footer.value;
  throw new Error(`not a whole segment: ${footer.failure.reason}`);
};

/** A chunk that every segment of its kind has. */
export const chunkOf = (footer: Footer, name: ColumnName): PlacedChunk => {
  const chunk = footer.chunks.find(({ column }) => column === name);
  if (!chunk) throw new Error(`the segment has no column ${name}`);
  return chunk;
};
