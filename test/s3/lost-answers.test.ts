import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Result } from "../../src/domain/shared/result.ts";
import { openS3Store } from "../../src/s3/client.ts";
import { joinedEtag, md5Of } from "../../src/store/etags.ts";
import type { Store } from "../../src/store/store.ts";
import { type BrokenS3, startBrokenS3 } from "../support/broken-s3.ts";
import type { Fault } from "../support/broken-s3-words.ts";

let s3: BrokenS3;
let store: Store;

beforeAll(async () => {
  s3 = await startBrokenS3();
  store = storeWithin(5000);
});

afterAll(() => s3?.stop());

const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};

const storeWithin = (timeoutMs: number, giveUp?: AbortSignal): Store => {
  const { bucketName, endpointUrl, accessKeyId, secretAccessKey } = s3;
  return value(
    openS3Store(
      { bucketName, prefix: "", region: null, endpointUrl, includeBucketInPrefix: false },
      { accessKeyId, secretAccessKey, sessionToken: null },
      { allowLoopback: true, timeoutMs, ...(giveUp === undefined ? {} : { giveUp }) },
    ),
  );
};

const BODY = new TextEncoder().encode("body");

describe("the response to a PUT", () => {
  test.each<[title: string, fault: Fault]>([
    ["that is lost because the connection was reset before", "reset"],
    ["that is lost because the connection was reset within the body", "reset_in_request"],
    ["that was lost", "lost_reply"],
    ["that breaks off", "reset_in_reply"],
  ])("%s is asked for once more, at once", async (_title, fault) => {
    const key = `again-${fault}`;
    s3.setRules({ operation: "put", fault });
    expect(value(await store.put(key, BODY)).etag).toBe(md5Of(BODY).toString("hex"));
    expect(s3.requests.map((one) => one.fault)).toEqual([fault, null]);
    expect(await s3.store.get(key)).toEqual(BODY);
  });

  test.each<[title: string, fault: Fault, isKept: boolean]>([
    ["that is lost twice because the connection was reset before", "reset", false],
    ["that is lost twice because the connection was reset within the body", "reset_in_request", false],
    ["that was lost twice", "lost_reply", true],
    ["that breaks off twice", "reset_in_reply", true],
  ])("%s is a failure, and may be retried", async (_title, fault, isKept) => {
    const key = `put-${fault}`;
    s3.setRules({ operation: "put", fault, count: 2 });
    expect(await store.put(key, BODY)).toMatchObject({
      failure: { reason: "network_lost", retryable: true, status: null, code: null },
    });
    expect(await s3.store.get(key)).toEqual(isKept ? BODY : null);
    expect(value(await store.put(key, BODY)).etag).toBe(md5Of(BODY).toString("hex"));
    expect(await s3.store.get(key)).toEqual(BODY);
  });

  test("that never arrives is not waited for beyond the deadline, nor asked for again", async () => {
    s3.setRules({ operation: "put", fault: "silence" });
    const written = await storeWithin(100).put("silent", BODY);
    expect(s3.requests).toHaveLength(1);
    expect(written).toMatchObject({ failure: { reason: "network_lost", retryable: true, status: null } });
    expect(written.ok || written.failure.advice).toContain("in time");
  });
});

describe("parts on a connection that is too slow for concurrent uploads", () => {
  test("lower the concurrency, whichever part times out", async () => {
    s3.setRules({ operation: "put_part", fault: "silence" });
    const { uploadId } = value(await store.createUpload("slow"));
    expect(await storeWithin(100).putPart("slow", uploadId, 1, BODY)).toMatchObject({
      failure: { reason: "throttled", retryable: true, status: null, code: null },
    });
    value(await store.putPart("slow", uploadId, 1, BODY));
    await store.abortUpload("slow", uploadId);
  });
});

describe("a request whose caller gives up", () => {
  test("ends at once and is not sent again, but for the requests that open and close uploads", async () => {
    const caller = new AbortController();
    const given = storeWithin(5000, caller.signal);
    const { uploadId } = value(await given.createUpload("given-up"));
    s3.setRules({ operation: ["put", "put_part", "head"], fault: "silence", count: "always" });
    const requests = Promise.all([
      given.put("given-up", BODY),
      given.putPart("given-up", uploadId, 1, BODY),
      given.head("given-up"),
    ]);
    await expect.poll(() => s3.requests.length).toBe(3);
    caller.abort();
    for (const one of await requests) expect(one).toMatchObject({ ok: false, failure: { retryable: true } });
    expect(await given.head("given-up")).toMatchObject({ failure: { reason: "network_lost" } });
    expect(s3.requests).toHaveLength(3);
    expect(await given.abortUpload("given-up", uploadId)).toEqual({ ok: true, value: null });
  });
});

describe("Complete", () => {
  test("sent again after a lost response fails with NoSuchUpload, and HEAD shows the object", async () => {
    s3.setRules({ operation: "complete_upload", fault: "lost_reply" });
    const { uploadId } = value(await store.createUpload("k"));
    const { etag } = value(await store.putPart("k", uploadId, 1, BODY));
    const parts = [{ partNumber: 1, etag }];
    expect(await store.completeUpload("k", uploadId, parts)).toMatchObject({ failure: { reason: "network_lost" } });
    expect(await store.completeUpload("k", uploadId, parts)).toMatchObject({ failure: { reason: "no_such_upload" } });
    expect(value(await store.head("k"))).toEqual({
      bytes: BODY.length,
      etag: joinedEtag([md5Of(BODY).toString("hex")]),
    });
  });
});
