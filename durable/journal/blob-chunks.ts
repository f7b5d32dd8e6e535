/**
 * Values too long for one row, stored as rows of one table: `blob_chunk(id INTEGER PRIMARY KEY, body BLOB)`. The
 * platform allows 2 MB per row; 900 KiB keeps a row with its other columns below 1 MiB.
 */
export const CHUNK_BYTES = 900 * 1024;

/** Ids reserved for the chunks of one value: a value has at most 128 chunks, 112 MiB. */
const CHUNKS_PER_VALUE = 128;

export const CREATE_BLOB_CHUNKS =
  "CREATE TABLE IF NOT EXISTS blob_chunk (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT";

export function writeBlobChunks(sql: SqlStorage, value: number, bytes: Uint8Array): void {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  if (count > CHUNKS_PER_VALUE) throw new RangeError(`a value of ${bytes.length} bytes has too many chunks`);
  for (let n = 0; n < count; n += 1) {
    const chunk = bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES);
    sql.exec("INSERT INTO blob_chunk (id, body) VALUES (?, ?)", value * CHUNKS_PER_VALUE + n, chunk);
  }
}

export function readBlobChunks(sql: SqlStorage, value: number): Uint8Array {
  const first = value * CHUNKS_PER_VALUE;
  const pieces = sql
    .exec<{ body: ArrayBuffer }>(
      "SELECT body FROM blob_chunk WHERE id >= ? AND id < ? ORDER BY id",
      first,
      first + CHUNKS_PER_VALUE,
    )
    .toArray();
  const bytes = new Uint8Array(pieces.reduce((sum, { body }) => sum + body.byteLength, 0));
  let at = 0;
  for (const { body } of pieces) {
    bytes.set(new Uint8Array(body), at);
    at += body.byteLength;
  }
  return bytes;
}

/** `values`: a JSON list of numbers. */
export const deleteBlobChunks = (sql: SqlStorage, values: string): void => {
  sql.exec(`DELETE FROM blob_chunk WHERE id / ${CHUNKS_PER_VALUE} IN (SELECT value FROM json_each(?))`, values);
};
