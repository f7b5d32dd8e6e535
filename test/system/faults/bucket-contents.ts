import { createHash } from "node:crypto";
import type { LocalS3 } from "../../support/local-s3.ts";

/** An export's objects by key, each as its SHA-256, without everything that identifies this export. */
export type Contents = Readonly<Record<string, string>>;

/** Identifies an export: its id, the ids of its runs in the order of their days, and its destination's prefix. */
export interface ExportNames {
  readonly exportId: string;
  readonly runIds: readonly string[];
  readonly prefix: string;
}

/** The objects below the prefix; equal for two exports of the same data, with any faults. */
export const contentsOf = async (bucket: LocalS3, names: ExportNames): Promise<Contents> => {
  const contents: Record<string, string> = {};
  for (const { key } of await bucket.list(`${names.prefix}/`)) {
    const bytes = await bucket.get(key);
    if (bytes === null) throw new Error(`${key} is listed but not there`);
    contents[impersonal(key, names)] = sha256(await impersonalBytes(bucket, key, bytes, names));
  }
  return contents;
};

/** Objects that are Parquet files of the export. */
export const filesOf = (contents: Contents): readonly string[] =>
  Object.keys(contents).filter((key) => key.endsWith(".parquet"));

const impersonalBytes = async (bucket: LocalS3, key: string, bytes: Uint8Array, names: ExportNames) => {
  if (key.endsWith("manifest.json")) return impersonal(new TextDecoder().decode(bytes), names);
  if (!key.endsWith("_SUCCESS")) return bytes;
  const manifest = await bucket.get(key.replace("_SUCCESS", "manifest.json"));
  const content = new TextDecoder().decode(bytes);
  return manifest !== null && content === `sha256:${sha256(manifest)}\n` ? "names the manifest" : content;
};

const impersonal = (text: string, { exportId, runIds, prefix }: ExportNames): string =>
  runIds
    .reduce((masked, id, ordinal) => masked.replaceAll(id, `<run ${ordinal}>`), text)
    .replaceAll(exportId, "<export>")
    .replaceAll(`${prefix}/`, "<prefix>/")
    .replaceAll(`"${prefix}"`, '"<prefix>"');

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");
