import type { ListedObject } from "../download.ts";
import type { ManifestFile } from "./manifest.ts";

/** Compares the manifest with the objects in the export's folder. Returns one line per problem, with what to do. */
export const compareListing = (files: readonly ManifestFile[], objects: readonly ListedObject[]): readonly string[] => {
  const found = new Map(objects.map((object) => [object.key, object]));
  const listed = new Set(files.map((file) => file.key));
  return [
    ...files.flatMap((file) => problemsOf(file, found.get(file.key))),
    ...objects.filter(({ key }) => !listed.has(key)).map(extra),
  ];
};

/** Whether the object's ETag proves its content: it equals the ETag computed from the MD5s of the content. */
export const isProvenByEtag = (file: ManifestFile, objects: readonly ListedObject[]): boolean =>
  objects.some(({ key, etag }) => key === file.key && etag === file.expected_etag);

const problemsOf = (file: ManifestFile, object: ListedObject | undefined): readonly string[] => {
  const { key, bytes, etag } = file;
  if (object === undefined) return [`MISSING  ${key}: it is not in the bucket. Restore it, or export again.`];
  if (object.bytes !== bytes) return [`CHANGED  ${key}: it has ${object.bytes} bytes, not ${bytes}. ${REPLACED}`];
  if (etag !== null && object.etag !== etag)
    return [`CHANGED  ${key}: its ETag is ${object.etag}, not ${etag}. ${REPLACED}`];
  return [];
};

const REPLACED = "It was overwritten: restore it, or export again.";

const extra = ({ key }: ListedObject): string =>
  `EXTRA    ${key}: the manifest does not list it, but readers of the folder include it. Move it elsewhere.`;
