import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";

const compressors = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)),
  GZIP: (bytes: Uint8Array) => new Uint8Array(gunzipSync(bytes)),
};

/** A row of an exported file: the values of its columns. A column that the export does not have is absent. */
export type ExportedRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** Rows by file. Objects are immutable, so each is read once. */
const known = new WeakMap<Uint8Array, readonly ExportedRow[]>();

/** The rows of an exported file, read with an independent Parquet reader. JSON stays text. */
export async function rowsIn(bytes: Uint8Array): Promise<readonly ExportedRow[]> {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  const file = Uint8Array.from(bytes).buffer;
  const rows = await parquetReadObjects({ file, compressors });
  const read = rows.map((row) => ({ ...row, id: String(row.id) }));
  known.set(bytes, read);
  return read;
}

/** Ids of the rows of an exported file. */
export const idsIn = async (bytes: Uint8Array): Promise<readonly string[]> => (await rowsIn(bytes)).map(({ id }) => id);
