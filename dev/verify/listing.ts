import type { ListedObject } from "../download.ts";
import type { ManifestFile } from "./manifest.ts";

/**
 * Compares the manifest with the objects in the export's folder. Returns one line per problem, with what to do. `full`:
 * ETags are not compared, because every file is read and its SHA-256 decides.
 */
export const compareListing = (
  files: readonly ManifestFile[],
  objects: readonly ListedObject[],
  { full }: { readonly full: boolean },
): readonly string[] => {
  const found = new Map(objects.map((object) => [object.key, object]));
  const listed = new Set(files.map((file) => file.key));
  return [
    ...files.flatMap((file) => problemsOf(file, found.get(file.key), full)),
    ...objects.filter(({ key }) => !listed.has(key)).map(extra),
  ];
};

/** Whether the object's ETag proves its content: it equals the ETag computed from the MD5s of the content. */
export const isProvenByEtag = (file: ManifestFile, objects: readonly ListedObject[]): boolean =>
  objects.some(({ key, etag }) => key === file.key && etag === file.expected_etag);

const problemsOf = (file: ManifestFile, object: ListedObject | undefined, full: boolean): readonly string[] => {
  const { key, bytes, etag, expected_etag } = file;
  if (object === undefined) return [`MISSING  ${key}: it is not in the bucket. Restore it, or export again.`];
  if (object.bytes !== bytes)
    return [
      `CHANGED  ${key}: it has ${object.bytes} bytes, not ${bytes}. It was overwritten: restore it, or export again.`,
    ];
  if (full || etag === null || object.etag === etag || object.etag === expected_etag) return [];
  return [`CHANGED  ${key}: its ETag is ${object.etag}, not ${etag}. ${WRITTEN_AGAIN}`];
};

/** A copy, or an upload in parts of another size, has another ETag with the same bytes. */
const WRITTEN_AGAIN = "It was overwritten, or restored by a copy: --full reads it and tells.";

const extra = ({ key }: ListedObject): string =>
  `EXTRA    ${key}: the manifest does not list it, but readers of the folder include it. Move it elsewhere.`;
