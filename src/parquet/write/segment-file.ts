import type { EncodedChunk } from "../chunk.ts";
import { MAGIC, type PlacedChunk, writeFooter } from "../footer.ts";
import { segmentSchema } from "../schema.ts";

/**
 * A whole Parquet file with one row group of the given chunks, in the given order. Its schema is that of a segment with
 * these columns.
 */
export const segmentFile = (chunks: readonly EncodedChunk[], rows: number): Uint8Array => {
  const placed: PlacedChunk[] = [];
  let offset = MAGIC.length;
  for (const chunk of chunks) {
    const bloomBytes = chunk.bloom?.length ?? 0;
    placed.push({
      column: chunk.column,
      codec: chunk.codec,
      offset,
      bytes: chunk.bytes,
      rawBytes: chunk.rawBytes,
      dictionaryBytes: chunk.dictionaryBytes,
      bloomBytes,
      values: chunk.values,
      pages: chunk.pages,
      statistics: chunk.statistics,
    });
    offset += chunk.bytes + bloomBytes;
  }
  const schema = segmentSchema(new Set(chunks.map((chunk) => chunk.column)));
  const footer = writeFooter(schema, [{ rows, chunks: placed }]);
  const file = new Uint8Array(offset + footer.length);
  let position = 0;
  const append = (bytes: Uint8Array): void => {
    file.set(bytes, position);
    position += bytes.length;
  };
  append(MAGIC);
  for (const chunk of chunks) {
    for (const part of chunk.parts) append(part);
    if (chunk.bloom) append(chunk.bloom);
  }
  append(footer);
  return file;
};
