import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifestText } from "../../../dev/api.ts";
import { s3Client } from "../../../dev/download.ts";
import { checkContents } from "../../../dev/verify/contents.ts";
import { search } from "../../support/secrets/leaks.ts";
import { type Exported, type Laboratory, openLaboratory } from "../readers/exported.ts";
import { sentRuns } from "../readers/sent-runs.ts";

let laboratory: Laboratory;
let client: S3Client;
let exported: Exported;

beforeAll(async () => {
  laboratory = await openLaboratory(sentRuns());
  client = s3Client(laboratory.waybill.config.s3);
  exported = await laboratory.exportTo("verified");
});
afterAll(async () => {
  client?.destroy();
  await laboratory?.close();
});

interface Told {
  readonly code: number | null;
  readonly output: string;
}

/** `npm run verify` as its own process. */
const verify = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Told> => {
  const env = { ...process.env, STATE_DIR: join(laboratory.waybill.folder, "state"), ...environment };
  const child = spawn(process.execPath, ["dev/verify.mjs", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  search(output, "what it prints");
  return { code, output };
};

const bucket = () => laboratory.waybill.config.s3.bucket_name;

const read = async (key: string): Promise<Uint8Array> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
  return (await Body?.transformToByteArray()) ?? new Uint8Array();
};

const write = (key: string, body: Uint8Array | string) =>
  client.send(new PutObjectCommand({ Bucket: bucket(), Key: key, Body: body }));

const keyOf = (end: string): string => {
  const key = exported.objects.find((object) => object.key.endsWith(end))?.key;
  if (key === undefined) throw new Error(`the export has no ${end}`);
  return key;
};

/** Changes an object with the given function, verifies, and restores the object. */
const afterChange = async (key: string, change: () => Promise<unknown>, ...args: readonly string[]): Promise<Told> => {
  const before = await read(key);
  await change();
  const result = await verify([exported.exportId, ...args]);
  await write(key, before);
  return result;
};

const flipped = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte));

describe("npm run verify", () => {
  it("reports that an intact export is complete, by the MD5s in the ETags, and by reading every file", async () => {
    const quick = await verify([exported.exportId]);
    expect(quick.output).toContain("Complete: nothing is missing, changed or extra; 3 proven by the MD5s");
    expect(quick.code).toBe(0);
    const full = await verify([exported.exportId, "--full"]);
    expect(full.output).toContain("every file read: SHA-256 and rows agree");
    expect(full.code).toBe(0);
  });

  it("reads a manifest from a path and from the bucket, with credentials of the environment", async () => {
    const { s3 } = laboratory.waybill.config;
    const environment = { AWS_ACCESS_KEY_ID: s3.access_key_id, AWS_SECRET_ACCESS_KEY: s3.secret_access_key };
    const path = join(laboratory.waybill.folder, "manifest.json");
    writeFileSync(path, await manifestText(laboratory.waybill.config, exported.exportId));
    for (const what of [path, `s3://${s3.bucket_name}/${keyOf("manifest.json")}`]) {
      const result = await verify([what, "--endpoint", s3.endpoint_url], environment);
      expect(result.output).toContain("Complete:");
      expect(result.code).toBe(0);
    }
  });

  it("finds a file that was deleted", async () => {
    const key = keyOf("0-00000.parquet");
    const remove = () => client.send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }));
    const result = await afterChange(key, remove);
    expect(result.output).toContain(`MISSING  ${key}: it is not in the bucket.`);
    expect(result.output).toContain("1 problem:");
    expect(result.code).toBe(1);
  });

  it("finds a file that was changed without changing its size", async () => {
    const key = keyOf("1-00000.parquet");
    const change = async () => write(key, flipped(await read(key)));
    const quick = await afterChange(key, change);
    expect(quick.output).toContain(`CHANGED  ${key}: its ETag is`);
    expect(quick.code).toBe(1);
    const full = await afterChange(key, change, "--full");
    expect(full.output).toContain(`CHANGED  ${key}: its SHA-256 is`);
  });

  it("reports a file with another ETag as complete if --full finds its SHA-256, as after a restore by copy", async () => {
    const key = keyOf("1-00000.parquet");
    const content = await read(key);
    const Bucket = bucket();
    const inParts = async () => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: key }));
      const part = { Bucket, Key: key, UploadId, PartNumber: 1 };
      const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: content }));
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
      await client.send(new CompleteMultipartUploadCommand({ Bucket, Key: key, UploadId, MultipartUpload }));
    };
    const full = await afterChange(key, inParts, "--full");
    expect(full.output).toContain("Complete: nothing is missing, changed or extra; every file read");
    expect(full.code).toBe(0);
    const quick = await afterChange(key, inParts);
    expect(quick.output).toContain("or restored by a copy: --full reads it and tells.");
    expect(quick.code).toBe(1);
  });

  it("reads the bucket of the export's destination, of a service that --url and --key name", async () => {
    const { s3, url, api_key } = laboratory.waybill.config;
    const environment = {
      AWS_ACCESS_KEY_ID: s3.access_key_id,
      AWS_SECRET_ACCESS_KEY: s3.secret_access_key,
      STATE_DIR: join(laboratory.waybill.folder, "no-state"),
    };
    const result = await verify([exported.exportId, "--url", `${url}/`, "--key", api_key], environment);
    expect(result.output).toContain("Complete:");
    expect(result.code).toBe(0);
    const unnamed = await verify([exported.exportId], environment);
    expect(unnamed.output).toContain("name another service (--url, --key)");
    const keyless = await verify([exported.exportId, "--url", url], environment);
    expect(keyless.output).toContain("--url and --key belong together.");
  });

  it("finds a file that the manifest does not list", async () => {
    const key = keyOf("0-00000.parquet").replace("0-00000", "0-99999");
    await write(key, "extra");
    const result = await verify([exported.exportId]);
    await client.send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }));
    expect(result.output).toContain(`EXTRA    ${key}`);
    expect(result.code).toBe(1);
  });

  it("finds a changed manifest, whether called with the id or with the changed manifest", async () => {
    const key = keyOf("manifest.json");
    const before = await read(key);
    await write(key, new TextDecoder().decode(before).replace('"rows"', ' "rows"'));
    const byId = await verify([exported.exportId]);
    const { s3 } = laboratory.waybill.config;
    const environment = { AWS_ACCESS_KEY_ID: s3.access_key_id, AWS_SECRET_ACCESS_KEY: s3.secret_access_key };
    const byItself = await verify([`s3://${s3.bucket_name}/${key}`, "--endpoint", s3.endpoint_url], environment);
    await write(key, before);
    expect(byId.output).toContain(`CHANGED  ${key}: it is not this manifest.`);
    expect(byItself.output).toMatch(/CHANGED {2}\S+_SUCCESS: it does not hold the SHA-256 of this manifest\./);
    expect([byId.code, byItself.code]).toEqual([1, 1]);
  });

  it("does not report a footer that temporarily cannot be read as damage", async () => {
    const key = keyOf("0-00000.parquet");
    const content = await read(key);
    const lost = new Error("the connection broke");
    const send = ({ input }: GetObjectCommand) =>
      input.Range === undefined ? client.send(new GetObjectCommand(input)) : Promise.reject(lost);
    const cutOff = { send } as unknown as S3Client; // all that the test needs of a client
    const sha256 = createHash("sha256").update(content).digest("hex");
    const file = { key, bytes: content.byteLength, rows: 1, sha256, expected_etag: "", etag: null };
    await expect(checkContents(cutOff, bucket(), file)).rejects.toBe(lost);
  });

  it("prints its usage, and reports a manifest that it cannot find", async () => {
    expect(await verify([])).toMatchObject({ code: 1, output: expect.stringContaining("Usage: npm run verify") });
    const nowhere = await verify(["nowhere.json"]);
    expect(nowhere).toMatchObject({
      code: 1,
      output: expect.stringContaining('"nowhere.json" is not an export id, an address or a readable file.'),
    });
  });

  it("prints what is missing to read a bucket", async () => {
    const { s3 } = laboratory.waybill.config;
    const manifest = `s3://${s3.bucket_name}/${keyOf("manifest.json")}`;
    const withoutCredentials = { HOME: laboratory.waybill.folder, AWS_EC2_METADATA_DISABLED: "true" };
    const keys = { AWS_ACCESS_KEY_ID: s3.access_key_id, AWS_SECRET_ACCESS_KEY: s3.secret_access_key };
    const cases = [
      [withoutCredentials, manifest, s3.endpoint_url, "There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID"],
      [keys, manifest, "http://127.0.0.1:2", "The bucket could not be reached (ECONNREFUSED)."],
      [keys, manifest, "s3.example.com", '--endpoint must be an address such as https://s3.example.com; it is "s3'],
      [keys, "http://127.0.0.1:2/manifest.json", s3.endpoint_url, "No answer from http://127.0.0.1:2/manifest"],
    ] as const;
    for (const [environment, what, endpoint, words] of cases) {
      const result = await verify([what, "--endpoint", endpoint], environment);
      expect(result.output.trim().startsWith(words)).toBe(true);
      expect(result.code).toBe(1);
    }
  });
});
