import { describe, expect, test } from "vitest";
import { destinationError, type StoreCause, type StoreOperation, storeFailureOf } from "../../src/s3/failures.ts";

const answer = (status: number, code: string | null = null): StoreCause => ({ kind: "answer", status, code });

const verdict = (operation: StoreOperation, cause: StoreCause) => {
  const failure = storeFailureOf(operation, cause);
  return [failure.reason, failure.retryable, destinationError(failure)];
};

describe("7.2 each cause has one of four errors, whatever word the store has for it", () => {
  test.each<[string, StoreCause, string, string]>([
    ["R2, wrong secret", answer(403, "SignatureDoesNotMatch"), "access_denied", "Access denied"],
    ["Ceph with STS, wrong secret", answer(403, "AccessDenied"), "access_denied", "Access denied"],
    ["R2, unknown key", answer(401, "Unauthorized"), "access_denied", "Access denied"],
    ["AWS, unknown key", answer(403, "InvalidAccessKeyId"), "unknown_access_key", "Key ID you provided does not exist"],
    ["all, missing bucket", answer(404, "NoSuchBucket"), "bucket_not_valid", "Bucket is not valid"],
    ["AWS, malformed bucket", answer(400, "InvalidBucketName"), "bucket_not_valid", "Bucket is not valid"],
    ["Swift, wrong region", answer(400, "AuthorizationHeaderMalformed"), "invalid_endpoint", "Invalid endpoint"],
    ["AWS, wrong region", answer(301, "PermanentRedirect"), "invalid_endpoint", "Invalid endpoint"],
    ["all, clock off", answer(403, "RequestTimeTooSkewed"), "access_denied", "Access denied"],
    ["AWS, session ended", answer(400, "ExpiredToken"), "expired_credentials", "Access denied"],
    ["AWS, wrong session token", answer(400, "InvalidToken"), "expired_credentials", "Access denied"],
    ["R2, session token", answer(400, "InvalidArgument"), "unexpected_answer", "Invalid endpoint"],
    ["unknown 403", answer(403, "AccountProblem"), "access_denied", "Access denied"],
    ["401 without a word", answer(401), "access_denied", "Access denied"],
    ["web server without PUT", answer(405), "invalid_endpoint", "Invalid endpoint"],
    ["web server without the page", answer(404), "invalid_endpoint", "Invalid endpoint"],
    ["redirecting web server", answer(302), "invalid_endpoint", "Invalid endpoint"],
    ["web server that says 200", { kind: "not_s3", status: 200 }, "invalid_endpoint", "Invalid endpoint"],
    ["Swift, conditional PUT", answer(501, "NotImplemented"), "unexpected_answer", "Invalid endpoint"],
    ["unknown 400", answer(400, "MalformedXML"), "unexpected_answer", "Invalid endpoint"],
    ["conditional PUT on an object", answer(412, "PreconditionFailed"), "precondition_failed", "Invalid endpoint"],
    ["part gone", answer(400, "InvalidPart"), "invalid_part", "Invalid endpoint"],
    ["parts too small", answer(400, "EntityTooSmall"), "invalid_part", "Invalid endpoint"],
    ["upload gone", answer(404, "NoSuchUpload"), "no_such_upload", "Invalid endpoint"],
    ["endless answer", { kind: "oversized", status: 200 }, "unexpected_answer", "Invalid endpoint"],
    ["informational status", answer(199), "unexpected_answer", "Invalid endpoint"],
  ])("%s: not retried", (_cause, cause, reason, error) => {
    expect(verdict("put", cause)).toEqual([reason, false, error]);
  });

  test.each<[string, StoreCause, string]>([
    ["S3's own fault", answer(500, "InternalError"), "store_unavailable"],
    ["an error inside a 200", answer(200, "InternalError"), "store_unavailable"],
    ["a nameless error inside a 200", answer(200), "store_unavailable"],
    ["bad gateway", answer(502), "store_unavailable"],
    ["too many requests", answer(503, "SlowDown"), "throttled"],
    ["too many requests inside a 200", answer(200, "SlowDown"), "throttled"],
    ["429", answer(429), "throttled"],
    ["503 without a word", answer(503), "store_unavailable"],
    ["damaged bytes", answer(400, "BadDigest"), "digest_mismatch"],
    ["body not read in time", answer(400, "RequestTimeout"), "network_lost"],
    ["408", answer(408), "network_lost"],
    ["connection lost", { kind: "network" }, "network_lost"],
    ["deadline", { kind: "deadline" }, "network_lost"],
  ])("%s: may be retried, and is an invalid endpoint at validation", (_cause, cause, reason) => {
    expect(verdict("put", cause)).toEqual([reason, true, "Invalid endpoint"]);
  });

  test("a HEAD has no words: its 404 means the object", () => {
    expect(storeFailureOf("head", answer(404)).reason).toBe("no_such_key");
    expect(storeFailureOf("head", answer(403)).reason).toBe("access_denied");
    expect(storeFailureOf("head", answer(400)).reason).toBe("unexpected_answer");
  });
});

describe("5 a failure names the permission that the request needs", () => {
  test.each<[StoreOperation, string]>([
    ["put", "s3:PutObject"],
    ["create_upload", "s3:PutObject"],
    ["put_part", "s3:PutObject"],
    ["complete_upload", "s3:PutObject"],
    ["abort_upload", "s3:AbortMultipartUpload"],
    ["head", "s3:GetObject"],
    ["get", "s3:GetObject"],
    ["remove", "s3:DeleteObject"],
  ])("%s needs %s", (operation, permission) => {
    const failure = storeFailureOf(operation, answer(403, "AccessDenied"));
    expect(failure).toMatchObject({ permission, status: 403, code: "AccessDenied" });
    expect(failure.advice).not.toBe("");
  });
});
