import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";

const compressors = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)),
  GZIP: (bytes: Uint8Array) => new Uint8Array(gunzipSync(bytes)),
};

/** Ids by file. Objects are immutable, so each is read once. */
const known = new WeakMap<Uint8Array, readonly string[]>();

/** Ids of the rows of an exported file, read with an independent Parquet reader. */
export async function idsIn(bytes: Uint8Array): Promise<readonly string[]> {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  const file = Uint8Array.from(bytes).buffer;
  const rows = await parquetReadObjects({ file, columns: ["id"], compressors });
  const ids = rows.map((row) => String(row.id));
  known.set(bytes, ids);
  return ids;
}
