import type { StoreFailure, StoreFailureReason } from "../domain/shared/failures.ts";
import { UNREACHED } from "../net/edge-status.ts";
import { storeFailure } from "../store/failures.ts";
import type { StoreOperation } from "../store/store.ts";

/** Translates the answers of S3 stores. No other file does that. Stores use different codes for the same cause. */

/** The observed cause of a failed request. */
export type S3Cause =
  /** An error answer, or an `<Error>` inside a 200. `code`: the result of `codeOf`; `region`: that of `regionOf`. */
  | { readonly kind: "answer"; readonly status: number; readonly code: string | null; readonly region?: string | null }
  /** A success without the members that every S3 store sends: a plain web server also answers 200 to a PUT. */
  | { readonly kind: "not_s3"; readonly status: number }
  /** A success with a longer body than the request allows. */
  | { readonly kind: "oversized"; readonly status: number }
  | { readonly kind: "deadline" }
  /** fetch threw: closed port, unknown host, untrusted certificate, reset. The runtime may not distinguish them. */
  | { readonly kind: "network" };

interface Row {
  readonly kind: S3Cause["kind"];
  /** First and last matching status. */
  readonly status?: readonly [number, number];
  /** Matching codes; `none`: an answer without a code matches. */
  readonly codes?: readonly string[] | "none";
  readonly operations?: readonly StoreOperation[];
  readonly reason: StoreFailureReason;
  /** Replaces the advice of the reason. */
  readonly advice?: string;
  /** The answer is about the region, so the region that it names is the right one. */
  readonly isAboutRegion?: true;
}

const REGION_ADVICE = "Set config.region to the region of the bucket, and check endpoint_url.";

/**
 * Maps (HTTP status, S3 code, network error) to a reason; src/store/failures.ts defines which reasons end a run. The
 * first matching row decides. A known code has priority over the status, because stores differ more in the status.
 * Anything else is retryable: only failures that are known to need a change by the customer are final.
 */
const ROWS: readonly Row[] = [
  { kind: "network", reason: "network_lost" },
  {
    kind: "deadline",
    operations: ["put_part"],
    // Parts are uploaded concurrently: a connection that is too slow for all of them may suffice for fewer.
    reason: "throttled",
    advice: "The store did not take a part in time. Check the connection to it.",
  },
  { kind: "deadline", reason: "network_lost", advice: "The store did not answer in time. Check that it is reachable." },
  { kind: "not_s3", reason: "not_s3" },
  { kind: "oversized", reason: "unexpected_answer", advice: "The store's answer is longer than the request allows." },

  { kind: "answer", codes: ["InvalidAccessKeyId"], reason: "unknown_access_key" },
  { kind: "answer", codes: ["NoSuchBucket", "InvalidBucketName"], reason: "bucket_not_valid" },
  {
    kind: "answer",
    codes: ["SignatureDoesNotMatch"],
    reason: "access_denied",
    advice: "Check secret_access_key and access_key_id: the store computes another signature from them.",
  },
  { kind: "answer", codes: ["AccessDenied", "Unauthorized", "AllAccessDisabled"], reason: "access_denied" },
  { kind: "answer", codes: ["ExpiredToken", "InvalidToken", "TokenRefreshRequired"], reason: "expired_credentials" },
  { kind: "answer", codes: ["RequestTimeTooSkewed"], reason: "clock_skewed" },
  {
    kind: "answer",
    codes: [
      "KMS.DisabledException",
      "KMS.InvalidKeyUsageException",
      "KMS.InvalidStateException",
      "KMS.KMSInvalidStateException",
      "KMS.NotFoundException",
    ],
    reason: "unusable_key",
  },
  {
    kind: "answer",
    // MinIO; Ceph uses the second one, with 403.
    codes: ["XMinioStorageFull", "QuotaExceeded", "XMinioAdminBucketQuotaExceeded"],
    reason: "storage_full",
  },
  {
    kind: "answer",
    codes: ["PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"],
    reason: "invalid_endpoint",
    advice: REGION_ADVICE,
    isAboutRegion: true,
  },
  {
    kind: "answer",
    // AWS answers with this code while the name of a new bucket propagates.
    codes: ["TemporaryRedirect"],
    reason: "store_unavailable",
    advice: "The store is still making the bucket known. Wait, or set config.region to the region of the bucket.",
    isAboutRegion: true,
  },
  { kind: "answer", codes: ["NoSuchKey"], reason: "no_such_key" },
  { kind: "answer", codes: ["NoSuchUpload"], reason: "no_such_upload" },
  { kind: "answer", codes: ["InvalidPart", "InvalidPartOrder", "EntityTooSmall"], reason: "invalid_part" },
  {
    kind: "answer",
    // The last two: locked by a rule of R2, under a retention policy of Google Cloud Storage; both with 403.
    codes: ["PreconditionFailed", "ObjectLockedByBucketPolicy", "RetentionPolicyNotMet"],
    reason: "precondition_failed",
  },
  { kind: "answer", codes: ["BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch"], reason: "digest_mismatch" },
  { kind: "answer", codes: ["RequestTimeout", "IncompleteBody", "ClientDisconnect"], reason: "network_lost" },
  {
    kind: "answer",
    codes: [
      "SlowDown",
      "SlowDownRead",
      "SlowDownWrite",
      "ServiceUnavailable",
      "TooManyRequests",
      "TooManyRequestsException",
      "TooMuchConcurrency",
      "Throttling",
      "ThrottlingException",
      "KMS.ThrottlingException",
      "RequestLimitExceeded",
      "BandwidthLimitExceeded",
    ],
    reason: "throttled",
  },
  {
    kind: "answer",
    codes: ["InternalError", "OperationAborted", "ConditionalRequestConflict"],
    reason: "store_unavailable",
  },
  {
    kind: "answer",
    codes: [
      "AccessControlListNotSupported",
      "InvalidStorageClass",
      "InvalidEncryptionAlgorithmError",
      "InvalidTag",
      "UnsupportedACL",
    ],
    reason: "option_refused",
  },
  { kind: "answer", codes: ["NotImplemented", "MethodNotAllowed", "EntityTooLarge"], reason: "not_supported" },
  {
    kind: "answer",
    codes: ["InvalidArgument"],
    reason: "not_supported",
    // R2 refuses every session token with this code, Ceph an invalid one.
    advice:
      "The store refused an argument. If you gave a session_token or s3_options, they are not valid there, or not supported.",
  },

  { kind: "answer", status: [200, 299], reason: "store_unavailable" },
  { kind: "answer", status: [301, 301], reason: "invalid_endpoint", advice: REGION_ADVICE, isAboutRegion: true },
  { kind: "answer", status: [307, 307], reason: "store_unavailable", isAboutRegion: true },
  { kind: "answer", status: [308, 308], reason: "invalid_endpoint", advice: REGION_ADVICE, isAboutRegion: true },
  { kind: "answer", status: [300, 399], reason: "not_s3" },
  { kind: "answer", status: [401, 401], reason: "access_denied" },
  { kind: "answer", status: [403, 403], reason: "access_denied" },
  // A HEAD response has no body, so it has no code.
  { kind: "answer", status: [404, 404], operations: ["head"], codes: "none", reason: "no_such_key" },
  { kind: "answer", status: [408, 408], reason: "network_lost" },
  { kind: "answer", status: [412, 412], reason: "precondition_failed" },
  { kind: "answer", status: [425, 425], reason: "store_unavailable" },
  { kind: "answer", status: [429, 429], reason: "throttled" },
  { kind: "answer", status: [400, 499], operations: ["head"], reason: "unexpected_answer" },
  // A page of a proxy or of a web server: S3 always sends a code.
  { kind: "answer", status: [400, 499], codes: "none", reason: "not_s3" },
  { kind: "answer", status: [501, 501], reason: "not_supported" },
  { kind: "answer", status: [503, 503], reason: "throttled" },
  { kind: "answer", status: [507, 507], reason: "storage_full" },
  { kind: "answer", status: UNREACHED, reason: "network_lost" },
  { kind: "answer", status: [500, 599], reason: "store_unavailable" },
  { kind: "answer", reason: "unexpected_answer" },
];

/**
 * Translates an observed cause into a failure. The failure contains nothing from the store except a checked status and
 * code.
 */
export function s3FailureOf(operation: StoreOperation, cause: S3Cause): StoreFailure {
  const row = ROWS.find((candidate) => fits(candidate, operation, cause));
  if (row === undefined) throw new Error(`no row for ${cause.kind}`);
  return storeFailure(operation, row.reason, {
    ...("status" in cause ? { status: cause.status } : {}),
    ...(cause.kind === "answer" ? { code: cause.code } : {}),
    ...(row.advice === undefined ? {} : { advice: row.advice }),
    ...(row.isAboutRegion && cause.kind === "answer" && cause.region ? { wantedRegion: cause.region } : {}),
  });
}

const fits = (row: Row, operation: StoreOperation, cause: S3Cause): boolean => {
  if (row.kind !== cause.kind) return false;
  if (row.operations !== undefined && !row.operations.includes(operation)) return false;
  if (cause.kind !== "answer") return true;
  if (row.status !== undefined && (cause.status < row.status[0] || cause.status > row.status[1])) return false;
  if (row.codes === undefined) return true;
  if (row.codes === "none") return cause.code === null;
  return cause.code !== null && row.codes.includes(cause.code);
};
