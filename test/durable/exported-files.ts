import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { expect } from "vitest";
import { manifestKey } from "../../src/domain/destination/layout.ts";
import { customerObject, type TestWorkspace, untilEnded } from "./exporting.ts";

export interface ExportedFile {
  /** Relative to `runs/`. */
  readonly name: string;
  readonly late: boolean;
  readonly ids: readonly string[];
}

/** What the bucket holds once the export is COMPLETED, by its manifest: file names and the ids in each. */
export const exportedBy = async (home: TestWorkspace, exportId: string): Promise<readonly ExportedFile[]> => {
  const manifest = await manifestOf(home, exportId);
  const files: ExportedFile[] = [];
  for (const { late, files: listed } of manifest.runs)
    for (const { key } of listed)
      files.push({ name: key.split("/runs/")[1] ?? key, late, ids: await idsIn(await read(key)) });
  return files;
};

export interface Manifest {
  readonly filter: string | null;
  readonly rows: number;
  readonly incomplete_rows: number;
  readonly runs: readonly { readonly late: boolean; readonly files: readonly { readonly key: string }[] }[];
}

/** The manifest of an export, once it is COMPLETED. */
export const manifestOf = async (home: TestWorkspace, exportId: string): Promise<Manifest> => {
  const ended = await untilEnded(home.tenantId, exportId);
  expect(ended.status).toBe("COMPLETED");
  return JSON.parse(new TextDecoder().decode(await read(manifestKey(home.prefix, exportId))));
};

const read = async (key: string): Promise<Uint8Array> => {
  const bytes = await customerObject(key);
  if (bytes === null) throw new Error(`${key} is missing`);
  return bytes;
};

const idsIn = async (bytes: Uint8Array): Promise<string[]> => {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const compressors = { ZSTD: (page: Uint8Array) => new Uint8Array(zstdDecompressSync(page)) };
  return (await parquetReadObjects({ file, columns: ["id"], compressors })).map(({ id }) => String(id));
};
