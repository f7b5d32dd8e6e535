import { createHash } from "node:crypto";
import { GetObjectCommand, NoSuchKey } from "@aws-sdk/client-s3";
import { manifestKey, successKey } from "../../src/domain/destination/layout.ts";
import type { Subject } from "./subject.ts";

/** Checks that the bucket holds this manifest, and `_SUCCESS` its SHA-256. Returns one line per problem. */
export const checkMarker = async (subject: Subject): Promise<readonly string[]> => {
  const { prefix, export_id } = subject.manifest;
  const [manifest, marker] = [manifestKey(prefix, export_id), successKey(prefix, export_id)];
  const [stored, markerText] = await Promise.all([textOf(subject, manifest), textOf(subject, marker)]);
  const problems: string[] = [];
  if (stored === null) problems.push(`MISSING  ${manifest}: the bucket has no proof of the export. Restore it.`);
  else if (stored !== subject.text) problems.push(`CHANGED  ${manifest}: it is not this manifest. ${RESTORE}`);
  if (markerText === null)
    problems.push(`MISSING  ${marker}: readers that wait for it see no complete export. Restore it.`);
  else if (markerText !== `sha256:${sha256(subject.text)}\n`)
    problems.push(`CHANGED  ${marker}: it does not hold the SHA-256 of this manifest. ${RESTORE}`);
  return problems;
};

const RESTORE = "Restore it from GET /api/v1/bulk-exports/<id>/manifest, or export again.";

const textOf = async ({ client, manifest }: Subject, key: string): Promise<string | null> => {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: manifest.bucket_name, Key: key }));
    return (await Body?.transformToString()) ?? "";
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
