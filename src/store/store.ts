import type { Etags } from "../domain/destination/check.ts";
import type { UploadsCursor } from "../domain/destination/sweep.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import type { Result } from "../domain/shared/result.ts";

/**
 * The port to a customer's bucket, independent of the kind of store. An adapter guarantees for every method:
 *
 * - One call is one request. It is sent a second time, at once, only when its connection broke. Retries are up to the
 *   caller, which records each attempt.
 * - It answers within a deadline and never throws for a fault of the store, the network or the configuration: the
 *   failure is a value without secrets.
 * - Keys are complete, including the prefix. ETags have no quotes.
 * - An acknowledged write replaces the whole object; a reader never sees a part of it.
 */
export interface Store {
  /** What the ETags of the bucket are, as the destination check recorded it. */
  readonly etags: Etags;

  /** The region that requests are signed for. */
  readonly region: string;

  /** Writes a whole object. The request has a digest, which the store compares with the bytes before it answers. */
  put(key: string, body: Uint8Array): Promise<Result<Written, StoreFailure>>;

  /** Opens an upload in parts. The object does not exist until the upload is completed. */
  createUpload(key: string): Promise<Result<OpenedUpload, StoreFailure>>;

  /**
   * Uploads one part, in any order; the same number again replaces the part. Part numbers run from 1 to 10,000. Every
   * part but the last has the same length, at least 5 MiB (R2).
   */
  putPart(key: string, uploadId: string, partNumber: number, body: Uint8Array): Promise<Result<Written, StoreFailure>>;

  /**
   * Joins the parts, given in ascending order, into the object. Never sent a second time. `network_lost` and
   * `no_such_upload` may mean that it, or an earlier call, succeeded and the answer was lost: check with `head`.
   */
  completeUpload(
    key: string,
    uploadId: string,
    parts: readonly JoinedPart[],
  ): Promise<Result<JoinedObject, StoreFailure>>;

  /** Discards an upload and its parts. Also succeeds when there is no such upload. */
  abortUpload(key: string, uploadId: string): Promise<Result<null, StoreFailure>>;

  /** Metadata of the object; `no_such_key` if there is none. Sees every write that was acknowledged before. */
  head(key: string): Promise<Result<SeenObject, StoreFailure>>;

  /** Deletes an object. Also succeeds when there is none. */
  remove(key: string): Promise<Result<null, StoreFailure>>;

  /** Whether the keys below a prefix may be listed. `prefix`: a result of `keyPrefixOf`. */
  list(prefix: string): Promise<Result<null, StoreFailure>>;

  /**
   * Open multipart uploads of keys below a prefix, a page at a time. `prefix`: a result of `keyPrefixOf`; `from`: `next` of
   * the page before, null: the first page. Stores without this request answer `not_supported`.
   */
  listUploads(prefix: string, from: UploadsCursor | null): Promise<Result<ListedUploads, StoreFailure>>;
}

/** A write that the store acknowledged. */
export interface Written {
  /** As returned by the store. */
  readonly etag: string;
  /** MD5 of the bytes sent, in lower-case hex: equal to `etag` in a store that derives ETags from MD5. */
  readonly md5: string;
}

export interface OpenedUpload {
  readonly uploadId: string;
}

export interface JoinedPart {
  readonly partNumber: number;
  /** As returned by the store for the part. */
  readonly etag: string;
}

export interface JoinedObject {
  /** null: the store's answer has none (Ceph). */
  readonly etag: string | null;
}

/** A page of open uploads. `next`: where the next page begins; null: there is none. */
export interface ListedUploads {
  readonly uploads: readonly OpenUpload[];
  readonly next: UploadsCursor | null;
}

export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  /** Epoch milliseconds, by the clock of the store. */
  readonly initiatedAt: number;
}

/** The metadata that `head` returns. */
export interface SeenObject {
  readonly bytes: number;
  readonly etag: string;
  /** Encrypted with a key of the customer's (SSE-KMS, SSE-C), so that its ETag is no MD5; absent: no, as far as known. */
  readonly isKeyEncrypted?: true;
}

/** The operations of a store. */
export type StoreOperation =
  | "put"
  | "create_upload"
  | "put_part"
  | "complete_upload"
  | "abort_upload"
  | "head"
  | "remove"
  | "list"
  | "list_uploads";
