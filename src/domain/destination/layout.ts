import type { FormatVersion } from "../shared/format.ts";
import type { DestinationConfig } from "./records.ts";

/**
 * Keys of all objects that Waybill writes into the customer's bucket [FIL-1]. Every key follows from ids, so a repeated
 * step writes the same object. Keys have no leading slash. A `prefix` is a result of `keyPrefixOf`.
 */

/** The folder of one run's files. */
export interface Partition {
  readonly prefix: string;
  readonly exportId: string;
  readonly tenantId: string;
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly version: FormatVersion;
}

/** A key in S3 has at most 1024 bytes of UTF-8; the part below the prefix needs less than 256 of them [LIM-17]. */
const MAX_PREFIX_BYTES = 768;

const FILE_ORDINAL_DIGITS = 5;

/** The folder that names the kind of rows: a plain name in v1, a Hive partition in v2_beta. */
const RESOURCE: Record<FormatVersion, string> = { v1: "runs", v2_beta: "resource=runs" };

/** The prefix of all keys of a destination: without outer slashes, after the bucket if the destination wants it [DST-5]. */
export const keyPrefixOf = (config: DestinationConfig): string =>
  join(config.includeBucketInPrefix ? config.bucketName : "", withoutOuterSlashes(config.prefix));

/** Why a prefix is not usable, as a sentence; null: it is. */
export function prefixProblem(prefix: string): string | null {
  if (!prefix.isWellFormed()) return "The prefix is not valid Unicode.";
  if (hasControlCharacter(prefix)) return "The prefix contains a control character; remove it.";
  // URL parsers resolve both, also percent-encoded: such a key has no address, and `..` would lead out of the bucket.
  if (prefix.split("/").some((segment) => segment === "." || segment === "..")) {
    return 'The prefix contains a folder named "." or ".."; name it otherwise.';
  }
  if (new TextEncoder().encode(prefix).length > MAX_PREFIX_BYTES) {
    return `The prefix, with the bucket's name where that stands in it, is longer than ${MAX_PREFIX_BYTES} bytes; shorten it.`;
  }
  return null;
}

/** The folder of all files of an export, without an outer slash. */
export const exportFolder = (prefix: string, exportId: string): string => join(prefix, `export_id=${exportId}`);

/** `<prefix>/export_id=.../tenant_id=.../session_id=.../runs/year=2026/month=8/day=19`; month and day are unpadded. */
export function folderOf(partition: Partition): string {
  const [year, month, day] = partition.day.split("-").map(Number);
  return join(
    exportFolder(partition.prefix, partition.exportId),
    `tenant_id=${partition.tenantId}`,
    `session_id=${partition.projectId}`,
    RESOURCE[partition.version],
    `year=${year}`,
    `month=${month}`,
    `day=${day}`,
  );
}

/** Key of a Parquet file. It does not depend on the attempt, so that a retry writes the same object. */
export const fileKey = (folder: string, runOrdinal: number, fileOrdinal: number): string =>
  join(folder, fileName(runOrdinal, fileOrdinal));

/** Key of a Parquet file with late rows of the folder's day. */
export const lateFileKey = (folder: string, runOrdinal: number, fileOrdinal: number): string =>
  join(folder, `late-${fileName(runOrdinal, fileOrdinal)}`);

/** Next to the data tree, not inside it: `export_id=*` matches Parquet files only. */
export const manifestKey = (prefix: string, exportId: string): string =>
  join(prefix, "_waybill", `export_id=${exportId}`, "manifest.json");

/** Holds the SHA-256 of the manifest; written after it. */
export const successKey = (prefix: string, exportId: string): string =>
  join(prefix, "_waybill", `export_id=${exportId}`, "_SUCCESS");

/** The test file of a destination check; it stays if the credentials may not delete [DST-11]. */
export const probeKey = (prefix: string, name: string): string => join(prefix, "tmp", `${name}.txt`);

const FOLDER_OF_EXPORT = /^export_id=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TEST_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.txt$/;

/**
 * Whether a key is one that this workspace uploads in parts below the prefix: a Parquet file, or the test file of a check.
 * Manifest and `_SUCCESS` are not uploaded in parts. Nothing else in a customer's bucket may look so.
 */
export function isOwnUploadKey(prefix: string, tenantId: string, key: string): boolean {
  const root = prefix === "" ? "" : `${prefix}/`;
  if (!key.startsWith(root)) return false;
  const [first = "", second = "", ...rest] = key.slice(root.length).split("/");
  if (first === "tmp") return rest.length === 0 && TEST_FILE.test(second);
  return FOLDER_OF_EXPORT.test(first) && second === `tenant_id=${tenantId}` && key.endsWith(".parquet");
}

const fileName = (runOrdinal: number, fileOrdinal: number): string =>
  `${runOrdinal}-${String(fileOrdinal).padStart(FILE_ORDINAL_DIGITS, "0")}.parquet`;

const join = (...segments: readonly string[]): string => segments.filter((segment) => segment !== "").join("/");

const withoutOuterSlashes = (path: string): string => {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  return path.slice(start, end);
};

const hasControlCharacter = (text: string): boolean => {
  for (const character of text) if (character < " " || character === "\u007f") return true;
  return false;
};
