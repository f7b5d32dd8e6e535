import { createHash, randomBytes } from "node:crypto";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { fileKey, folderOf } from "../../src/domain/destination/layout.ts";
import type { Credentials, DestinationConfig } from "../../src/domain/destination/records.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import { openS3Store } from "../../src/s3/client.ts";
import { destinationError } from "../../src/store/failures.ts";
import { probe } from "../../src/store/probe.ts";
import type { Store } from "../../src/store/store.ts";
import { type LocalS3, startLocalS3 } from "../support/local-s3.ts";
import { check } from "../support/samples.ts";

let s3: LocalS3;
let store: Store;
let sdk: S3Client;

beforeAll(async () => {
  s3 = await startLocalS3();
  store = open();
  const { accessKeyId, secretAccessKey } = s3;
  sdk = new S3Client({
    endpoint: s3.endpointUrl,
    region: s3.region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
});

afterAll(async () => {
  sdk?.destroy();
  await s3?.stop();
});

afterEach(() => void vi.useRealTimers());

const open = (changes: Partial<DestinationConfig & Credentials> = {}): Store =>
  value(
    openS3Store(
      {
        bucketName: changes.bucketName ?? s3.bucketName,
        prefix: "",
        region: changes.region ?? null,
        endpointUrl: changes.endpointUrl ?? s3.endpointUrl,
        includeBucketInPrefix: false,
      },
      {
        accessKeyId: changes.accessKeyId ?? s3.accessKeyId,
        secretAccessKey: changes.secretAccessKey ?? s3.secretAccessKey,
        sessionToken: changes.sessionToken ?? null,
      },
      { allowLoopback: true },
    ),
  );

const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};

const PART_BYTES = 5 * 1024 * 1024;
const text = (content: string) => new TextEncoder().encode(content);
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

const HIVE_KEY = fileKey(
  folderOf({
    prefix: "traces",
    exportId: "11111111-1111-4111-8111-111111111111",
    tenantId: "22222222-2222-4222-8222-222222222222",
    projectId: "33333333-3333-4333-8333-333333333333",
    day: "2030-01-09",
    version: "v2_beta",
  }),
  0,
  1,
);

describe("an object", () => {
  test.each([HIVE_KEY, "für uns/日本/🚀.parquet", "a b/c+d&e?f#g%h/it's (a) *test*!~"])(
    "is written, seen and removed under %s",
    async (key) => {
      const bytes = new Uint8Array(randomBytes(70_000));
      expect(value(await store.put(key, bytes))).toEqual({ etag: md5(bytes), md5: md5(bytes) });
      expect(value(await store.head(key))).toEqual({ bytes: 70_000, etag: md5(bytes) });
      expect(await s3.get(key)).toEqual(bytes);
      value(await store.remove(key));
      expect(await s3.get(key)).toBeNull();
    },
  );

  test("may be empty", async () => {
    value(await store.put("empty/_SUCCESS", new Uint8Array(0)));
    expect(value(await store.head("empty/_SUCCESS")).bytes).toBe(0);
    expect(await s3.get("empty/_SUCCESS")).toEqual(new Uint8Array(0));
  });

  test("may be a view into a larger buffer", async () => {
    const buffer = text("not this, this one, not this");
    value(await store.put("view", buffer.subarray(10, 18)));
    expect(await s3.get("view")).toEqual(text("this one"));
  });

  test("that is missing has its own reason, and its deletion succeeds", async () => {
    expect(await store.head("missing")).toMatchObject({ failure: { reason: "no_such_key", status: 404 } });
    expect(await store.remove("missing")).toEqual({ ok: true, value: null });
  });
});

describe("a multipart upload", () => {
  test("of equal parts and a shorter last one joins them", async () => {
    const parts = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), randomBytes(1_000)].map(
      (part) => new Uint8Array(part),
    );
    const key = `multipart/${HIVE_KEY}`;
    const { uploadId } = value(await store.createUpload(key));
    // In any order, as concurrent uploads finish.
    const third = value(await store.putPart(key, uploadId, 3, parts[2] ?? text("")));
    const [first, second] = await Promise.all([
      store.putPart(key, uploadId, 1, parts[0] ?? text("")).then(value),
      store.putPart(key, uploadId, 2, parts[1] ?? text("")).then(value),
    ]);
    const listed = [first, second, third].map(({ etag }, index) => ({ partNumber: index + 1, etag }));
    const { etag } = value(await store.completeUpload(key, uploadId, listed));
    expect(etag).toMatch(/^[0-9a-f]{32}-3$/);
    expect(value(await store.head(key))).toEqual({ bytes: 2 * PART_BYTES + 1_000, etag });
    expect(md5((await s3.get(key)) ?? text(""))).toBe(md5(Buffer.concat(parts)));

    // Complete is sent again after a lost response: the reason tells the caller to check with HEAD first.
    expect(await store.completeUpload(key, uploadId, listed)).toMatchObject({
      failure: { reason: "no_such_upload", status: 404, retryable: true },
    });
  });

  test("that was aborted leaves nothing, accepts no part, and can be aborted again", async () => {
    const { uploadId } = value(await store.createUpload("aborted"));
    const { etag } = value(await store.putPart("aborted", uploadId, 1, text("x")));
    expect(await store.abortUpload("aborted", uploadId)).toEqual({ ok: true, value: null });
    expect(await s3.get("aborted")).toBeNull();
    expect(await store.putPart("aborted", uploadId, 2, text("y"))).toMatchObject({
      failure: { reason: "no_such_upload" },
    });
    expect(await store.completeUpload("aborted", uploadId, [{ partNumber: 1, etag }])).toMatchObject({
      failure: { reason: "no_such_upload" },
    });
    expect(await store.abortUpload("aborted", uploadId)).toEqual({ ok: true, value: null });
  });

  test("refuses parts that are too small or belong to another upload", async () => {
    const { uploadId } = value(await store.createUpload("parts"));
    const first = value(await store.putPart("parts", uploadId, 1, text("small")));
    const second = value(await store.putPart("parts", uploadId, 2, text("small")));
    const parts = [
      { partNumber: 1, etag: first.etag },
      { partNumber: 2, etag: second.etag },
    ];
    expect(await store.completeUpload("parts", uploadId, parts)).toMatchObject({
      failure: { reason: "invalid_part", code: "EntityTooSmall" },
    });
    expect(await store.completeUpload("parts", uploadId, [{ partNumber: 1, etag: "0".repeat(32) }])).toMatchObject({
      failure: { reason: "invalid_part", code: "InvalidPart" },
    });
  });
});

describe("a destination that cannot be written has one of four errors", () => {
  const failureOf = async (changes: Partial<DestinationConfig & Credentials>) => {
    const checked = await probe(open(changes), { prefix: "check", name: "never-there" });
    if (checked.ok) throw new Error("the check passed");
    expect(JSON.stringify(checked.failure)).not.toContain(changes.secretAccessKey ?? s3.secretAccessKey);
    return [destinationError(checked.failure), checked.failure.code];
  };

  test("Access denied: wrong secret", async () => {
    expect(await failureOf({ secretAccessKey: "wrong" })).toEqual(["Access denied", "SignatureDoesNotMatch"]);
  });

  test("Access denied: unknown key, which R2 does not distinguish", async () => {
    expect(await failureOf({ accessKeyId: "AKIAUNKNOWN" })).toEqual(["Access denied", "Unauthorized"]);
  });

  test("Bucket is not valid: missing bucket", async () => {
    expect(await failureOf({ bucketName: "another-bucket" })).toEqual(["Bucket is not valid", "NoSuchBucket"]);
  });

  test("Access denied: clocks an hour apart", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    expect(await failureOf({})).toEqual(["Access denied", "RequestTimeTooSkewed"]);
  });

  test("Invalid endpoint: R2 accepts no session token", async () => {
    expect(await failureOf({ sessionToken: "token" })).toEqual(["Invalid endpoint", "InvalidArgument"]);
  });

  test("Invalid endpoint: no server listens", async () => {
    expect(await failureOf({ endpointUrl: "http://127.0.0.1:1" })).toEqual(["Invalid endpoint", null]);
  });

  test("Invalid endpoint: a web server that is not a store", async () => {
    const { origin } = new URL(s3.endpointUrl);
    expect((await failureOf({ endpointUrl: origin }))[0]).toBe("Invalid endpoint");
  });

  test("no test file remains in the bucket", async () => {
    expect(await s3.list("check/")).toEqual([]);
  });
});

describe("the check of a destination", () => {
  test("writes a test file, tries every right, learns that ETags are MD5s, and deletes the file", async () => {
    const report = await probe(store, { prefix: "traces", name: "check-1" });
    expect(report).toEqual({ ok: true, value: check });
    expect(await s3.list("traces/tmp/")).toEqual([]);
  });
});

describe("other clients", () => {
  test("the AWS SDK reads what this client wrote", async () => {
    const bytes = new Uint8Array(randomBytes(10_000));
    const { etag } = value(await store.put(`sdk/${HIVE_KEY}`, bytes));
    const object = { Bucket: s3.bucketName, Key: `sdk/${HIVE_KEY}` };
    expect(await sdk.send(new HeadObjectCommand(object))).toMatchObject({ ContentLength: 10_000, ETag: `"${etag}"` });
    const read = await sdk.send(new GetObjectCommand(object));
    expect(new Uint8Array((await read.Body?.transformToByteArray()) ?? [])).toEqual(bytes);
  });

  test("this client reads what the AWS SDK wrote", async () => {
    const Key = "sdk/für uns/day=1/a+b (1).parquet";
    await sdk.send(new PutObjectCommand({ Bucket: s3.bucketName, Key, Body: text("of the SDK") }));
    expect(value(await store.head(Key))).toEqual({ bytes: 10, etag: md5(text("of the SDK")) });
  });

  test("this client completes an upload that the AWS SDK started, and vice versa", async () => {
    const object = { Bucket: s3.bucketName, Key: "sdk/day=2/mixed" };
    const begun = await sdk.send(new CreateMultipartUploadCommand(object));
    const uploadId = begun.UploadId ?? "";
    const ours = value(await store.putPart(object.Key, uploadId, 1, new Uint8Array(PART_BYTES)));
    const theirs = await sdk.send(
      new UploadPartCommand({ ...object, UploadId: uploadId, PartNumber: 2, Body: text("end") }),
    );
    const parts = [
      { partNumber: 1, etag: ours.etag },
      { partNumber: 2, etag: (theirs.ETag ?? "").replaceAll('"', "") },
    ];
    value(await store.completeUpload(object.Key, uploadId, parts));
    expect(value(await store.head(object.Key)).bytes).toBe(PART_BYTES + 3);

    const second = value(await store.createUpload(object.Key));
    const part = value(await store.putPart(object.Key, second.uploadId, 1, text("whole")));
    await sdk.send(
      new CompleteMultipartUploadCommand({
        ...object,
        UploadId: second.uploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag: `"${part.etag}"` }] },
      }),
    );
    expect(await s3.get(object.Key)).toEqual(text("whole"));
  });
});
