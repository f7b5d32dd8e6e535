import { describe, expect, test } from "vitest";
import type { StoreFailureReason } from "../../src/domain/shared/failures.ts";
import { type S3Cause, s3FailureOf } from "../../src/s3/failures.ts";
import { destinationError } from "../../src/store/failures.ts";
import type { StoreOperation } from "../../src/store/store.ts";

const answer = (status: number, code: string | null = null): S3Cause => ({ kind: "answer", status, code });

const verdict = (operation: StoreOperation, cause: S3Cause) => {
  const failure = s3FailureOf(operation, cause);
  return [failure.reason, failure.retryable, destinationError(failure)];
};

type CheckError = ReturnType<typeof destinationError>;

describe("a storage or destination error ends the run at once", () => {
  test.each<[string, S3Cause, StoreFailureReason, CheckError]>([
    ["AWS, unknown key", answer(403, "InvalidAccessKeyId"), "unknown_access_key", "Key ID you provided does not exist"],
    ["R2, unknown key", answer(401, "Unauthorized"), "access_denied", "Access denied"],
    ["R2, wrong secret", answer(403, "SignatureDoesNotMatch"), "access_denied", "Access denied"],
    ["Ceph with STS, wrong secret", answer(403, "AccessDenied"), "access_denied", "Access denied"],
    ["401 without an error code", answer(401), "access_denied", "Access denied"],
    ["403 without an error code", answer(403), "access_denied", "Access denied"],
    ["403 with an unknown error code", answer(403, "AccountProblem"), "access_denied", "Access denied"],
    ["Ceph, suspended user", answer(403, "UserSuspended"), "access_denied", "Access denied"],
    ["AWS, closed account", answer(403, "AllAccessDisabled"), "access_denied", "Access denied"],
    ["AWS, session ended", answer(400, "ExpiredToken"), "expired_credentials", "Access denied"],
    ["AWS, wrong session token", answer(400, "InvalidToken"), "expired_credentials", "Access denied"],
    ["AWS, session to be refreshed", answer(400, "TokenRefreshRequired"), "expired_credentials", "Access denied"],
    ["R2, session token", answer(400, "InvalidArgument"), "not_supported", "Invalid endpoint"],
    ["AWS, encryption key disabled", answer(400, "KMS.DisabledException"), "unusable_key", "Access denied"],
    ["AWS, encryption key gone", answer(400, "KMS.NotFoundException"), "unusable_key", "Access denied"],
    ["AWS, encryption key to be deleted", answer(400, "KMS.InvalidStateException"), "unusable_key", "Access denied"],
    ["all, missing bucket", answer(404, "NoSuchBucket"), "bucket_not_valid", "Bucket is not valid"],
    ["AWS, malformed bucket", answer(400, "InvalidBucketName"), "bucket_not_valid", "Bucket is not valid"],
    ["MinIO, full disks", answer(507, "XMinioStorageFull"), "storage_full", null],
    ["MinIO, bucket quota", answer(400, "XMinioAdminBucketQuotaExceeded"), "storage_full", null],
    ["Ceph, user quota", answer(403, "QuotaExceeded"), "storage_full", null],
    ["507 without an error code", answer(507), "storage_full", null],
    ["Swift, wrong region", answer(400, "AuthorizationHeaderMalformed"), "invalid_endpoint", "Invalid endpoint"],
    ["AWS, wrong region", answer(301, "PermanentRedirect"), "invalid_endpoint", "Invalid endpoint"],
    [
      "AWS, endpoint of another region",
      answer(400, "IllegalLocationConstraintException"),
      "invalid_endpoint",
      "Invalid endpoint",
    ],
    ["301 without an error code", answer(301), "invalid_endpoint", "Invalid endpoint"],
    ["308 without an error code", answer(308), "invalid_endpoint", "Invalid endpoint"],
    ["the bucket forbids overwriting", answer(412, "PreconditionFailed"), "precondition_failed", null],
    ["412 without an error code", answer(412), "precondition_failed", null],
    ["R2, bucket lock", answer(403, "ObjectLockedByBucketPolicy"), "precondition_failed", null],
    ["Google, retention policy", answer(403, "RetentionPolicyNotMet"), "precondition_failed", null],
    ["AWS, bucket without ACLs", answer(400, "AccessControlListNotSupported"), "option_refused", null],
    ["AWS, unknown storage class", answer(400, "InvalidStorageClass"), "option_refused", null],
    ["AWS, unknown tag", answer(400, "InvalidTag"), "option_refused", null],
    ["Swift, unsupported operation", answer(501, "NotImplemented"), "not_supported", "Invalid endpoint"],
    ["501 without an error code", answer(501), "not_supported", "Invalid endpoint"],
    ["a read-only bucket", answer(405, "MethodNotAllowed"), "not_supported", "Invalid endpoint"],
    ["a part above the size limit of the store", answer(413, "EntityTooLarge"), "not_supported", "Invalid endpoint"],
  ])("%s", (_cause, cause, reason, error) => {
    expect(verdict("put", cause)).toEqual([reason, false, error]);
  });
});

describe("a transient failure spends one retry", () => {
  test.each<[string, S3Cause, StoreFailureReason, CheckError]>([
    ["connection lost", { kind: "network" }, "network_lost", "Invalid endpoint"],
    ["no response in time", { kind: "deadline" }, "network_lost", "Invalid endpoint"],
    ["the edge, no server connected", answer(521), "network_lost", "Invalid endpoint"],
    ["the edge, certificate not valid", answer(526), "network_lost", "Invalid endpoint"],
    ["the edge, unknown host", answer(530), "network_lost", "Invalid endpoint"],
    ["AWS, body not read in time", answer(400, "RequestTimeout"), "network_lost", "Invalid endpoint"],
    ["AWS, body cut off", answer(400, "IncompleteBody"), "network_lost", "Invalid endpoint"],
    ["R2, body cut off", answer(400, "ClientDisconnect"), "network_lost", "Invalid endpoint"],
    ["408 without an error code", answer(408), "network_lost", "Invalid endpoint"],
    ["damaged bytes", answer(400, "BadDigest"), "digest_mismatch", null],
    ["damaged digest", answer(400, "InvalidDigest"), "digest_mismatch", null],
    ["an internal error of S3", answer(500, "InternalError"), "store_unavailable", null],
    ["an internal error of S3 inside a 200", answer(200, "InternalError"), "store_unavailable", null],
    ["an error without a code inside a 200", answer(200), "store_unavailable", null],
    ["500 without an error code", answer(500), "store_unavailable", null],
    ["a proxy's 502 page", answer(502), "store_unavailable", null],
    ["a proxy's 504 page", answer(504), "store_unavailable", null],
    ["425 without an error code", answer(425), "store_unavailable", null],
    ["AWS, another request in progress", answer(409, "OperationAborted"), "store_unavailable", null],
    ["AWS, conflicting writes", answer(409, "ConditionalRequestConflict"), "store_unavailable", null],
    ["409 with an unknown error code", answer(409, "BucketBusy"), "unexpected_answer", null],
    ["AWS, new bucket", answer(307, "TemporaryRedirect"), "store_unavailable", null],
    ["307 without an error code", answer(307), "store_unavailable", null],
    ["a wrong clock", answer(403, "RequestTimeTooSkewed"), "clock_skewed", "Access denied"],
    ["a proxy's redirect", answer(302), "not_s3", "Invalid endpoint"],
    ["a proxy's 400 page", answer(400), "not_s3", "Invalid endpoint"],
    ["a proxy's 404 page", answer(404), "not_s3", "Invalid endpoint"],
    ["a web server without PUT", answer(405), "not_s3", "Invalid endpoint"],
    ["a web server that answers 200", { kind: "not_s3", status: 200 }, "not_s3", "Invalid endpoint"],
    ["a 400 with an unknown error code", answer(400, "InvalidRequest"), "unexpected_answer", null],
    ["an endless response", { kind: "oversized", status: 200 }, "unexpected_answer", null],
    ["an informational status", answer(199), "unexpected_answer", null],
    ["object gone", answer(404, "NoSuchKey"), "no_such_key", "Invalid endpoint"],
    ["upload gone", answer(404, "NoSuchUpload"), "no_such_upload", "Invalid endpoint"],
    ["part gone", answer(400, "InvalidPart"), "invalid_part", "Invalid endpoint"],
    ["parts out of order", answer(400, "InvalidPartOrder"), "invalid_part", "Invalid endpoint"],
    ["part cut short", answer(400, "EntityTooSmall"), "invalid_part", "Invalid endpoint"],
  ])("%s", (_cause, cause, reason, error) => {
    expect(verdict("put", cause)).toEqual([reason, true, error]);
  });
});

describe("a request to slow down lowers the concurrency", () => {
  test.each<[string, S3Cause]>([
    ["AWS and R2", answer(503, "SlowDown")],
    ["AWS, inside a 200", answer(200, "SlowDown")],
    ["AWS, overloaded", answer(503, "ServiceUnavailable")],
    ["AWS, encryption keys", answer(400, "ThrottlingException")],
    ["AWS, encryption keys in another spelling", answer(400, "KMS.ThrottlingException")],
    ["AWS, bandwidth", answer(503, "BandwidthLimitExceeded")],
    ["MinIO, reads", answer(503, "SlowDownRead")],
    ["MinIO, writes", answer(503, "SlowDownWrite")],
    ["R2, too many writes of one key", answer(429, "TooManyRequests")],
    ["R2, too much at once", answer(400, "TooMuchConcurrency")],
    ["others", answer(400, "RequestLimitExceeded")],
    ["503 without an error code", answer(503)],
    ["503 with an unknown error code", answer(503, "XMinioServerNotInitialized")],
    ["429 without an error code", answer(429)],
  ])("%s", (_cause, cause) => {
    for (const operation of ["put", "create_upload", "put_part", "complete_upload", "head"] as const)
      expect(verdict(operation, cause)).toEqual(["throttled", true, null]);
  });
});

describe("a part that times out", () => {
  test("lowers the concurrency of uploads, as a request to slow down does, because the connection may be too slow", () => {
    expect(verdict("put_part", { kind: "deadline" })).toEqual(["throttled", true, null]);
    expect(s3FailureOf("put_part", { kind: "deadline" }).advice).toContain("in time");
    for (const operation of ["put", "create_upload", "complete_upload", "head"] as const)
      expect(verdict(operation, { kind: "deadline" })).toEqual(["network_lost", true, "Invalid endpoint"]);
  });
});

describe("a HEAD response has no error code:", () => {
  test.each<[number, StoreFailureReason, boolean]>([
    [301, "invalid_endpoint", false],
    [400, "unexpected_answer", true],
    [403, "access_denied", false],
    [404, "no_such_key", true],
    [503, "throttled", true],
  ])("its %d is %s", (status, reason, retryable) => {
    expect(s3FailureOf("head", answer(status))).toMatchObject({ reason, retryable });
  });
});

describe("a failure names the permission that the request needs", () => {
  test.each<[StoreOperation, string]>([
    ["put", "s3:PutObject"],
    ["create_upload", "s3:PutObject"],
    ["put_part", "s3:PutObject"],
    ["complete_upload", "s3:PutObject"],
    ["abort_upload", "s3:AbortMultipartUpload"],
    ["head", "s3:GetObject"],
    ["remove", "s3:DeleteObject"],
    ["list", "s3:ListBucket"],
    ["list_uploads", "s3:ListBucketMultipartUploads"],
  ])("%s needs %s", (operation, permission) => {
    const failure = s3FailureOf(operation, answer(403, "AccessDenied"));
    expect(failure).toMatchObject({ permission, status: 403, code: "AccessDenied" });
    expect(failure.advice).not.toBe("");
  });
});
