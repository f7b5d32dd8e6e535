/**
 * Values longer than a row may be, kept whole as rows of one table: `piece(id INTEGER PRIMARY KEY, body BLOB)`. The
 * platform allows 2 MB per row; 900 KiB keeps a row with its other columns below 1 MiB.
 */
export const CHUNK_BYTES = 900 * 1024;

/** Room between the ids of two values: a value has at most 128 pieces, 112 MiB. */
const PIECES_PER_VALUE = 128;

export const CREATE_BLOB_CHUNKS =
  "CREATE TABLE IF NOT EXISTS piece (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT";

export function writeBlobChunks(sql: SqlStorage, value: number, bytes: Uint8Array): void {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  if (count > PIECES_PER_VALUE) throw new RangeError(`a value of ${bytes.length} bytes has too many pieces`);
  for (let n = 0; n < count; n += 1) {
    const piece = bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES);
    sql.exec("INSERT INTO piece (id, body) VALUES (?, ?)", value * PIECES_PER_VALUE + n, piece);
  }
}

export function readBlobChunks(sql: SqlStorage, value: number): Uint8Array {
  const first = value * PIECES_PER_VALUE;
  const pieces = sql
    .exec<{ body: ArrayBuffer }>(
      "SELECT body FROM piece WHERE id >= ? AND id < ? ORDER BY id",
      first,
      first + PIECES_PER_VALUE,
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
  sql.exec(`DELETE FROM piece WHERE id / ${PIECES_PER_VALUE} IN (SELECT value FROM json_each(?))`, values);
};
