import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { openS3Store } from "../../src/s3/client.ts";
import { MARK } from "../support/secrets/mark.ts";
import { type SinkAnswer, startSinkS3 } from "../support/sink-s3.ts";
import { error, storeAt, text, useSinks, value } from "./sinks.ts";

const { sinkWith, stopLater } = useSinks();

const putAnsweredWith = async (answer: SinkAnswer, timeoutMs?: number) => {
  const { store } = await sinkWith({ hook: () => answer }, timeoutMs);
  return store.put("k", text("body"));
};

describe("the response to a PUT", () => {
  test.each<[string, SinkAnswer, object]>([
    [
      "without an ETag is not from a store, although its status is 200",
      { status: 200, body: "<html>It works!</html>" },
      { reason: "not_s3", retryable: true, status: 200, code: null },
    ],
    [
      "that redirects is not followed",
      {
        status: 307,
        headers: { Location: "http://169.254.169.254/" },
        body: error("TemporaryRedirect"),
      },
      { reason: "store_unavailable", retryable: true, status: 307, code: "TemporaryRedirect" },
    ],
    [
      "with status 500 is retryable",
      { status: 500, body: error("InternalError") },
      { reason: "store_unavailable", retryable: true, status: 500, code: "InternalError" },
    ],
    [
      "with SlowDown is a failure to throttle requests",
      { status: 503, body: error("SlowDown") },
      { reason: "throttled", retryable: true, status: 503, code: "SlowDown" },
    ],
    [
      "with status 403 names the missing permission",
      { status: 403, body: error("AccessDenied", "<Message>arn:aws:iam::1:user/secret</Message>") },
      { reason: "access_denied", retryable: false, code: "AccessDenied", permission: "s3:PutObject" },
    ],
    [
      "that never ends is cut off, and its status still counts",
      { status: 503, body: error("SlowDown", "x".repeat(5_000_000)) },
      { reason: "throttled", retryable: true, status: 503, code: null },
    ],
    [
      "that never ends is cut off, although its status is 200",
      { status: 200, headers: { ETag: '"e"' }, body: "x".repeat(5_000_000) },
      { reason: "unexpected_answer", retryable: true, status: 200 },
    ],
    [
      "that is an XML bomb has no code",
      {
        status: 400,
        body: '<!DOCTYPE Error [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Error><Code>&b;</Code></Error>',
      },
      { reason: "not_s3", retryable: true, status: 400, code: null },
    ],
    [
      "with an invalid ETag is not from a store",
      { status: 200, headers: { ETag: '""' } },
      { reason: "not_s3", retryable: true },
    ],
  ])("%s", async (_title, answer, failure) => {
    const written = await putAnsweredWith(answer);
    expect(written).toMatchObject({ ok: false, failure });
    expect(JSON.stringify(written)).not.toMatch(/arn:|169\.254|UnseenSecret|AKIASINK|127\.0\.0\.1/);
  });

  test("is not awaited beyond the deadline when its body does not end", async () => {
    const dripping = createServer((_incoming, outgoing) => {
      outgoing.writeHead(200, { ETag: '"e"' });
      outgoing.write("a");
    });
    await new Promise<void>((resolve) => dripping.listen(0, "127.0.0.1", resolve));
    stopLater({
      stop: () =>
        new Promise((resolve) => {
          dripping.close(() => resolve());
          dripping.closeAllConnections();
        }),
    });
    // A TCP server's address is not a pipe name.
    const { port } = dripping.address() as AddressInfo;
    const store = storeAt(`http://127.0.0.1:${port}`, "bucket", 200);
    expect(await store.put("k", text("body"))).toMatchObject({ failure: { reason: "network_lost" } });
  });

  test("is requested only once: the caller retries", async () => {
    const { sink, store } = await sinkWith({ hook: () => ({ status: 503, body: error("SlowDown") }) });
    await store.put("k", text("body"));
    expect(sink.requests).toHaveLength(1);
  });

  test("does not come from a closed port", async () => {
    const { sink, store } = await sinkWith({});
    await sink.stop();
    expect(await store.put("k", text("body"))).toMatchObject({ failure: { reason: "network_lost" } });
  });
});

describe("a request", () => {
  test("to write has the length and MD5 of its body, so that damage is detected and Object Lock buckets accept it", async () => {
    const { sink, store } = await sinkWith({});
    const { uploadId } = value(await store.createUpload("a=b/c"));
    value(await store.put("a=b/c", text("body")));
    value(await store.putPart("a=b/c", uploadId, 1, text("body")));
    const digest = createHash("md5").update("body").digest("base64");
    for (const { headers } of sink.requests.slice(1)) {
      expect(headers).toMatchObject({
        "content-md5": digest,
        "content-length": "4",
        "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
      });
      expect(headers["transfer-encoding"]).toBeUndefined();
      expect(headers.authorization).toMatch(/auto\/s3\/aws4_request, SignedHeaders=content-md5;host;/);
    }
  });

  test("whose bytes are damaged in transit is refused and may be sent again", async () => {
    const sink = await startSinkS3();
    stopLater(sink);
    const damaging: typeof fetch = (input, init) => fetch(input, { ...init, body: text("b0dy") });
    const store = value(
      openS3Store(
        {
          bucketName: sink.bucketName,
          prefix: "",
          region: null,
          endpointUrl: sink.endpointUrl,
          includeBucketInPrefix: false,
        },
        { accessKeyId: "AKIASINK", secretAccessKey: MARK, sessionToken: null },
        { allowLoopback: true, fetch: damaging },
      ),
    );
    expect(await store.put("k", text("body"))).toMatchObject({
      failure: { reason: "digest_mismatch", retryable: true },
    });
    expect(sink.objects.size).toBe(0);
  });

  test("carries the options of objects where an object begins, signed, and nowhere else", async () => {
    const sink = await startSinkS3();
    stopLater(sink);
    const objectOptions = {
      acl: "bucket-owner-full-control",
      storageClass: "STANDARD_IA",
      serverSideEncryption: "aws:kms",
      kmsKeyId: "arn:aws:kms:eu-central-1:1:key/2",
      tagging: "team=data&cost=7%25",
    };
    const store = value(
      openS3Store(
        {
          bucketName: sink.bucketName,
          prefix: "",
          region: null,
          endpointUrl: sink.endpointUrl,
          includeBucketInPrefix: false,
          objectOptions,
        },
        { accessKeyId: "AKIASINK", secretAccessKey: MARK, sessionToken: null },
        { allowLoopback: true },
      ),
    );
    value(await store.put("k", text("body")));
    const { uploadId } = value(await store.createUpload("u"));
    const { etag } = value(await store.putPart("u", uploadId, 1, text("part")));
    value(await store.completeUpload("u", uploadId, [{ partNumber: 1, etag }]));
    value(await store.head("u"));
    value(await store.remove("u"));
    const sent = {
      "x-amz-acl": "bucket-owner-full-control",
      "x-amz-storage-class": "STANDARD_IA",
      "x-amz-server-side-encryption": "aws:kms",
      "x-amz-server-side-encryption-aws-kms-key-id": "arn:aws:kms:eu-central-1:1:key/2",
      "x-amz-tagging": "team=data&cost=7%25",
    };
    const [put, create, ...others] = sink.requests;
    for (const request of [put, create]) {
      expect(request?.headers).toMatchObject(sent);
      for (const name of Object.keys(sent)) expect(request?.headers.authorization).toContain(name);
    }
    expect(others).toHaveLength(4);
    for (const request of others)
      for (const name of Object.keys(sent)) expect(request.headers).not.toHaveProperty(name);
  });

  test("with temporary credentials sends and signs the session token", async () => {
    const sink = await startSinkS3();
    stopLater(sink);
    const store = value(
      openS3Store(
        {
          bucketName: sink.bucketName,
          prefix: "",
          region: "eu-west-3",
          endpointUrl: sink.endpointUrl,
          includeBucketInPrefix: false,
        },
        { accessKeyId: "ASIA", secretAccessKey: MARK, sessionToken: `${MARK}-token` },
        { allowLoopback: true },
      ),
    );
    value(await store.put("k", text("body")));
    expect(sink.requests[0]?.headers["x-amz-security-token"]).toBe(`${MARK}-token`);
    expect(sink.requests[0]?.headers.authorization).toMatch(/eu-west-3\/s3\/aws4_request.*x-amz-security-token/);
  });

  test.each<[Partial<Record<"accessKeyId" | "secretAccessKey" | "sessionToken", string>>, string]>([
    [{ accessKeyId: "AKIA\nX-Evil: 1" }, "unknown_access_key"],
    [{ accessKeyId: "" }, "unknown_access_key"],
    [{ secretAccessKey: "" }, "access_denied"],
    [{ sessionToken: "to ken" }, "access_denied"],
  ])("cannot be built with %j", (changes, reason) => {
    const opened = openS3Store(
      {
        bucketName: "bucket",
        prefix: "",
        region: null,
        endpointUrl: "https://s3.example.com",
        includeBucketInPrefix: false,
      },
      { accessKeyId: "AKIA", secretAccessKey: MARK, sessionToken: null, ...changes },
      { allowLoopback: false },
    );
    expect(opened).toMatchObject({ ok: false, failure: { reason } });
  });
});

describe("the response to a HEAD", () => {
  const seenWith = async (headers: Readonly<Record<string, string>>) => {
    const { store } = await sinkWith({ hook: () => ({ status: 200, headers: { ETag: '"e"', ...headers } }) });
    return store.head("k");
  };

  test.each([
    { "x-amz-server-side-encryption": "aws:kms" },
    { "x-amz-server-side-encryption": "aws:kms:dsse" },
    { "x-amz-server-side-encryption-customer-algorithm": "AES256" },
  ])("with %j shows that the ETag is no MD5", async (headers) => {
    expect(await seenWith(headers)).toEqual({ ok: true, value: { bytes: 0, etag: "e", isKeyEncrypted: true } });
  });

  test("with an encryption by the store's own keys does not", async () => {
    const own = await seenWith({ "x-amz-server-side-encryption": "AES256" });
    expect(own).toEqual({ ok: true, value: { bytes: 0, etag: "e" } });
  });
});

describe("Complete", () => {
  const completeAnsweredWith = async (reply: { status: number; body: string }) => {
    const { store } = await sinkWith({
      hook: ({ method, query }) => (method === "POST" && query.has("uploadId") ? reply : null),
    });
    const { uploadId } = value(await store.createUpload("k"));
    const { etag } = value(await store.putPart("k", uploadId, 1, text("part")));
    return store.completeUpload("k", uploadId, [{ partNumber: 1, etag }]);
  };

  test("with an error inside a 200 has failed", async () => {
    expect(await completeAnsweredWith({ status: 200, body: `  \n\n  ${error("InternalError")}` })).toMatchObject({
      failure: { reason: "store_unavailable", retryable: true, status: 200, code: "InternalError" },
    });
    expect(await completeAnsweredWith({ status: 200, body: error("InvalidPart") })).toMatchObject({
      failure: { reason: "invalid_part", retryable: true },
    });
  });

  test("with an empty ETag succeeded, with an unknown ETag", async () => {
    const body = "<CompleteMultipartUploadResult><ETag></ETag></CompleteMultipartUploadResult>";
    expect(await completeAnsweredWith({ status: 200, body })).toEqual({ ok: true, value: { etag: null } });
  });

  test("with another document as response did not succeed", async () => {
    expect(await completeAnsweredWith({ status: 200, body: "" })).toMatchObject({
      failure: { reason: "not_s3" },
    });
    expect(await completeAnsweredWith({ status: 200, body: "<html></html>" })).toMatchObject({
      failure: { reason: "not_s3" },
    });
  });

  test("is never sent when the upload was not really created", async () => {
    const { store } = await sinkWith({ hook: () => ({ status: 200, body: "<html>hello</html>" }) });
    expect(await store.createUpload("k")).toMatchObject({ failure: { reason: "not_s3" } });
  });
});

describe("the test's own sink is a store", () => {
  test("that the AWS SDK can write, read and list", async () => {
    const { sink, store } = await sinkWith({ minPartBytes: 1 });
    const sdk = new S3Client({
      endpoint: sink.endpointUrl,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    });
    await sdk.send(new PutObjectCommand({ Bucket: sink.bucketName, Key: "a=1/b c", Body: text("sdk") }));
    const { uploadId } = value(await store.createUpload("a=1/ours"));
    const parts = [];
    for (const [index, content] of ["one", "two"].entries()) {
      const { etag } = value(await store.putPart("a=1/ours", uploadId, index + 1, text(content)));
      parts.push({ partNumber: index + 1, etag });
    }
    const { etag } = value(await store.completeUpload("a=1/ours", uploadId, parts));
    expect(etag).toMatch(/^[0-9a-f]{32}-2$/);
    const list = await sdk.send(new ListObjectsV2Command({ Bucket: sink.bucketName, Prefix: "a=1/" }));
    expect(list.Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([
      ["a=1/b c", 3],
      ["a=1/ours", 6],
    ]);
    const read = await sdk.send(new GetObjectCommand({ Bucket: sink.bucketName, Key: "a=1/ours" }));
    expect(await read.Body?.transformToString()).toBe("onetwo");
    sdk.destroy();
  });

  test("that refuses parts below the minimum size, as S3 does", async () => {
    const { store } = await sinkWith({});
    const { uploadId } = value(await store.createUpload("k"));
    const first = value(await store.putPart("k", uploadId, 1, text("one")));
    const second = value(await store.putPart("k", uploadId, 2, text("two")));
    const parts = [
      { partNumber: 1, etag: first.etag },
      { partNumber: 2, etag: second.etag },
    ];
    expect(await store.completeUpload("k", uploadId, parts)).toMatchObject({ failure: { reason: "invalid_part" } });
  });
});
