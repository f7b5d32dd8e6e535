import type { StoreFailure, StoreFailureReason } from "../domain/shared/failures.ts";
import type { StoreOperation } from "./store.ts";

/** Meaning of each failure, the same for all stores. Adapters translate answers into these failures. */

/** The four errors of the destination check, verbatim [DST-12]. */
export type DestinationError =
  | "Access denied"
  | "Bucket is not valid"
  | "Key ID you provided does not exist"
  | "Invalid endpoint";

interface Meaning {
  /**
   * The error of the destination check. An answer that a working S3 store never gives is a fault of the endpoint. Null:
   * none of the four is true.
   */
  readonly check: DestinationError | null;
  /** Whether the same work may succeed later without a change by the customer. */
  readonly retryable: boolean;
  readonly advice: string;
}

/**
 * The classes of [XRN-13]: storage and destination errors are final; a failure that may be temporary spends a retry.
 */
const MEANINGS: Record<StoreFailureReason, Meaning> = {
  access_denied: {
    check: "Access denied",
    retryable: false,
    advice: "Check the key pair and what it may do on the bucket and the prefix.",
  },
  expired_credentials: {
    check: "Access denied",
    retryable: false,
    advice: "The session token has ended or is wrong. Give fresh credentials.",
  },
  bucket_not_valid: {
    check: "Bucket is not valid",
    retryable: false,
    advice: "Check bucket_name: it must exist at this endpoint and be writable.",
  },
  unknown_access_key: {
    check: "Key ID you provided does not exist",
    retryable: false,
    advice: "Check access_key_id: the store does not know it.",
  },
  invalid_endpoint: {
    check: "Invalid endpoint",
    retryable: false,
    advice: "Check endpoint_url. Leave it out for AWS.",
  },
  not_s3: {
    check: "Invalid endpoint",
    // A proxy in front of the store answers with a page of its own while the store is down.
    retryable: true,
    advice: "Check endpoint_url: what answers there does not answer as an S3 store. Leave it out for AWS.",
  },
  clock_skewed: {
    check: "Access denied",
    retryable: true,
    advice: "The clock of the store differs from true time by more than it allows. Correct it.",
  },
  unusable_key: {
    check: "Access denied",
    retryable: false,
    advice: "The bucket's encryption key cannot be used. Enable it, or let the key pair use it.",
  },
  storage_full: {
    check: null,
    retryable: false,
    advice: "The store has no room left, or a quota is used up. Make room, then export again.",
  },
  not_supported: {
    check: "Invalid endpoint",
    retryable: false,
    advice: "The store does not support this request.",
  },
  option_refused: {
    check: null,
    retryable: false,
    advice:
      "The store does not take a value of s3_options. Check acl, storage_class, server_side_encryption and tagging.",
  },
  no_such_key: {
    check: "Invalid endpoint",
    retryable: true,
    advice: "The object is not in the bucket, though it was written. Check whether something deletes objects.",
  },
  no_such_upload: {
    check: "Invalid endpoint",
    retryable: true,
    advice: "The multipart upload has ended. Check lifecycle rules that abort incomplete uploads.",
  },
  invalid_part: {
    check: "Invalid endpoint",
    retryable: true,
    advice: "The store no longer holds a part as it was uploaded. The upload starts again.",
  },
  precondition_failed: {
    check: null,
    retryable: false,
    advice:
      "Something else lies at this key, and the bucket does not let it be overwritten. Check its retention and its rules, then export again.",
  },
  digest_mismatch: {
    check: null,
    retryable: true,
    advice: "The bytes were damaged on the way. If it happens again, check proxies.",
  },
  throttled: {
    check: null,
    retryable: true,
    advice: "The store asks for fewer requests, or is out of order. Wait, or raise its limits.",
  },
  store_unavailable: {
    check: null,
    retryable: true,
    advice: "The store has a fault of its own. Wait, or ask its operator.",
  },
  network_lost: {
    check: "Invalid endpoint",
    retryable: true,
    advice: "The connection failed. Check that endpoint_url is reachable from the internet with a valid certificate.",
  },
  unexpected_answer: {
    check: null,
    retryable: true,
    advice: "The store gave an answer that S3 does not know for this request.",
  },
};

/**
 * The permission that each operation needs, by its S3 name [DST-14]. An adapter of another kind of store passes its
 * own.
 */
export const PERMISSIONS: Record<StoreOperation, string> = {
  put: "s3:PutObject",
  create_upload: "s3:PutObject",
  put_part: "s3:PutObject",
  complete_upload: "s3:PutObject",
  abort_upload: "s3:AbortMultipartUpload",
  head: "s3:GetObject",
  remove: "s3:DeleteObject",
  list: "s3:ListBucket",
  list_uploads: "s3:ListBucketMultipartUploads",
};

/** The failure of an operation. `seen`: status and code of the answer, and advice that replaces that of the reason. */
export const storeFailure = (
  operation: StoreOperation,
  reason: StoreFailureReason,
  seen: Partial<Pick<StoreFailure, "status" | "code" | "permission" | "advice" | "wantedRegion">> = {},
): StoreFailure => ({
  reason,
  retryable: MEANINGS[reason].retryable,
  status: null,
  code: null,
  permission: PERMISSIONS[operation],
  advice: MEANINGS[reason].advice,
  ...seen,
});

/** A failure found before any request: the configuration cannot work. */
export const configurationFailure = (reason: StoreFailureReason, advice: string): StoreFailure => ({
  reason,
  retryable: false,
  status: null,
  code: null,
  permission: null,
  advice,
});

/** The error that the destination check shows for a failure; null: only the store's own code describes it. */
export const destinationError = (failure: StoreFailure): DestinationError | null => MEANINGS[failure.reason].check;

/** Whether the store itself has a fault or is busy, so that the same request may succeed a little later. */
export const isFaultOfStore = ({ reason }: StoreFailure): boolean =>
  reason === "throttled" || reason === "store_unavailable";
