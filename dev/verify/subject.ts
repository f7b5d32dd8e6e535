import { readFileSync } from "node:fs";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { manifestText } from "../api.ts";
import { readConfig, stateDirectory } from "../config.ts";
import { s3Client } from "../download.ts";
import { DevFailure } from "../failure.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { VerifyOptions } from "./options.ts";

/**
 * The export to verify: a manifest, its exact text, and a client for its bucket. The caller must `destroy` the client.
 */
export interface Subject {
  readonly text: string;
  readonly manifest: Manifest;
  readonly client: S3Client;
}

const EXPORT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const S3_ADDRESS = /^s3:\/\/(?<bucket>[^/]+)\/(?<key>.+)$/;

/** The SDK requires a region. AWS redirects to the right one, and the SDK follows. */
const ANY_REGION = "us-east-1";

/** Reads the manifest and creates the client of its bucket. */
export const subjectOf = async ({ what, endpoint }: VerifyOptions): Promise<Subject> => {
  if (EXPORT_ID.test(what)) return ofLocalService(what, endpoint);
  const client = clientOfEnvironment(endpoint);
  const text = await textAt(what, client);
  return { text, manifest: readManifest(text), client };
};

const ofLocalService = async (exportId: string, endpoint: string | null): Promise<Subject> => {
  const stateDir = stateDirectory();
  const config = readConfig(stateDir);
  if (config === null) {
    throw new DevFailure(
      `${stateDir}/waybill.json is missing. Start npm run dev, or name a manifest instead of an id.`,
    );
  }
  const text = await manifestText(config, exportId);
  const manifest = readManifest(text);
  const isLocal = endpoint === null && manifest.bucket_name === config.s3.bucket_name;
  return { text, manifest, client: isLocal ? s3Client(config.s3) : clientOfEnvironment(endpoint) };
};

const clientOfEnvironment = (endpoint: string | null): S3Client =>
  new S3Client({
    region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? ANY_REGION,
    followRegionRedirects: true,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  });

const textAt = async (what: string, client: S3Client): Promise<string> => {
  const { bucket, key } = S3_ADDRESS.exec(what)?.groups ?? {};
  if (bucket !== undefined && key !== undefined) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return (await Body?.transformToString()) ?? "";
  }
  if (/^https?:/.test(what)) {
    const answer = await fetch(what).catch(() => {
      throw new DevFailure(`No answer from ${what}.`);
    });
    if (!answer.ok) throw new DevFailure(`${what} was answered with ${answer.status}.`);
    return answer.text();
  }
  try {
    return readFileSync(what, "utf8");
  } catch {
    throw new DevFailure(`"${what}" is not an export id, an address or a readable file.`);
  }
};
