import { readFileSync } from "node:fs";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type ApiAccess, type DestinationConfigAnswer, destinationOf, manifestText } from "../api.ts";
import type { BucketAddress } from "../bucket-address.ts";
import { readConfig, stateDirectory, type WaybillConfig } from "../config.ts";
import { s3Client } from "../download.ts";
import { DevFailure, TransientFailure } from "../failure.ts";
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
export const subjectOf = async ({ what, endpoint, service }: VerifyOptions): Promise<Subject> => {
  if (EXPORT_ID.test(what)) {
    if (service !== null) return ofService(what, endpoint, service, null);
    const local = localService();
    return ofService(what, endpoint, local, local.s3);
  }
  if (service !== null) throw new DevFailure("--url and --key name the service of an export id, not of a manifest.");
  const client = clientOfEnvironment(endpoint, null);
  const text = await textAt(what, client);
  return { text, manifest: readManifest(text), client };
};

/** `ours`: the bucket of the local service, whose credentials are known; null: the service is another one. */
const ofService = async (
  exportId: string,
  endpoint: string | null,
  api: ApiAccess,
  ours: BucketAddress | null,
): Promise<Subject> => {
  const text = await manifestText(api, exportId);
  const manifest = readManifest(text);
  if (endpoint !== null) return { text, manifest, client: clientOfEnvironment(endpoint, null) };
  const { bucket_name, endpoint_url, region } = await bucketOf(api, exportId);
  const isOurs = ours !== null && endpoint_url === ours.endpoint_url && bucket_name === ours.bucket_name;
  return { text, manifest, client: isOurs ? s3Client(ours) : clientOfEnvironment(endpoint_url, region) };
};

const localService = (): WaybillConfig => {
  const stateDir = stateDirectory();
  const config = readConfig(stateDir);
  if (config !== null) return config;
  throw new DevFailure(
    `${stateDir}/waybill.json is missing. Start npm run dev, name another service (--url, --key), or name a manifest instead of an id.`,
  );
};

const bucketOf = (api: ApiAccess, exportId: string): Promise<DestinationConfigAnswer> =>
  destinationOf(api, exportId).catch((error: unknown) => {
    if (!(error instanceof DevFailure) || error instanceof TransientFailure) throw error;
    throw new DevFailure(
      `The destination of the export cannot be read. Name its store with --endpoint.\n${error.message}`,
    );
  });

/** `region`: that of the destination; null: it names none. */
const clientOfEnvironment = (endpoint: string | null, region: string | null): S3Client =>
  new S3Client({
    region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? region ?? ANY_REGION,
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
