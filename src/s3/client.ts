import { createHash } from "node:crypto";
import type { Credentials, DestinationConfig } from "../domain/destination/records.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { addressOf, objectUrl } from "./address.ts";
import { exchange, type Session, type StoreAnswer, type StoreRequest } from "./exchange.ts";
import { configurationFailure, type StoreOperation, storeFailureOf } from "./failures.ts";
import { codeOf, completionOf, etagOf, isError, readReply, uploadIdOf } from "./replies.ts";

type Answer<T> = Promise<Result<T, StoreFailure>>;

/** What a store acknowledged. */
export interface Written {
  /** As the store gave it. */
  readonly etag: string;
  /** MD5 of the bytes sent, in hex: the ETag of a store that makes its ETags of MD5s. */
  readonly md5: string;
}

/** What a HEAD shows. */
export interface SeenObject {
  readonly bytes: number;
  readonly etag: string;
}

export interface UploadedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/**
 * A customer's bucket. Each call is one request, sent once and within a deadline; keys are whole, prefix included.
 * ETags are given and taken without quotes.
 */
export interface Store {
  /** Writes an object whole. The store checks the bytes against their MD5 before it answers. */
  put(key: string, body: Uint8Array): Answer<Written>;
  createUpload(key: string): Answer<{ readonly uploadId: string }>;
  /** Part numbers run from 1 to 10,000; every part but the last has the same length, at least 5 MiB (R2). */
  putPart(key: string, uploadId: string, partNumber: number, body: Uint8Array): Answer<Written>;
  /**
   * Joins the parts, given in ascending order. `etag` is null when the store does not say one (Ceph).
   * `no_such_upload` may mean that an earlier Complete, whose answer was lost, succeeded: look with `head`.
   */
  completeUpload(
    key: string,
    uploadId: string,
    parts: readonly UploadedPart[],
  ): Answer<{ readonly etag: string | null }>;
  /** Succeeds, too, when the upload is gone already. */
  abortUpload(key: string, uploadId: string): Answer<null>;
  head(key: string): Answer<SeenObject>;
  /** Reads an object of at most `limitBytes`; a longer one is refused as `unexpected_answer`. */
  get(key: string, limitBytes: number): Answer<Uint8Array>;
  /** Succeeds, too, when there is no such object. */
  remove(key: string): Answer<null>;
}

export interface StoreOptions {
  /** For development: accept http and https endpoints on this machine. */
  readonly allowLoopback: boolean;
  /** Deadline of each request, its answer's body included; DEFAULT_TIMEOUT_MS without it. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

/** A part of 8 MiB passes in it at 1.1 Mbit/s; a store that needs longer for one request is as good as away [LIM-18]. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** What an HTTP header can carry: visible ASCII. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Opens a destination's bucket without asking it anything; fails when the configuration cannot work. */
export function openStore(
  config: DestinationConfig,
  credentials: Credentials,
  options: StoreOptions,
): Result<Store, StoreFailure> {
  const address = addressOf(config, options);
  if (!address.ok) return address;
  const problem = credentialsProblem(credentials);
  if (problem !== null) return fail(problem);

  const session: Session = {
    credentials,
    region: address.value.region,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    // workerd's fetch insists on being called as a function of the global object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    signingKeys: new Map(),
  };
  const url = (key: string, query?: Readonly<Record<string, string>>) => objectUrl(address.value, key, query);
  const send = (request: StoreRequest) => exchange(session, request);
  const write = async (operation: "put" | "put_part", target: string, body: Uint8Array) => {
    const md5 = md5Of(body);
    const headers = { "Content-MD5": md5.toString("base64") };
    const answer = await send({ operation, method: "PUT", url: target, headers, body });
    return answer.ok ? written(operation, answer.value, md5.toString("hex")) : answer;
  };

  return ok({
    put: (key, body) => write("put", url(key), body),

    async createUpload(key) {
      const answer = await send({ operation: "create_upload", method: "POST", url: url(key, { uploads: "" }) });
      if (!answer.ok) return answer;
      const uploadId = uploadIdOf(readReply(answer.value.body)?.text("UploadId") ?? null);
      return uploadId === null ? notS3("create_upload", answer.value) : ok({ uploadId });
    },

    putPart: (key, uploadId, partNumber, body) =>
      write("put_part", url(key, { partNumber: String(partNumber), uploadId }), body),

    async completeUpload(key, uploadId, parts) {
      const body = completionOf(parts);
      const target = url(key, { uploadId });
      const answer = await send({ operation: "complete_upload", method: "POST", url: target, body });
      return answer.ok ? completed(answer.value) : answer;
    },

    abortUpload: async (key, uploadId) =>
      gone(await send({ operation: "abort_upload", method: "DELETE", url: url(key, { uploadId }) }), "no_such_upload"),

    async head(key) {
      const answer = await send({ operation: "head", method: "HEAD", url: url(key) });
      if (!answer.ok) return answer;
      const etag = etagOf(answer.value.headers.get("ETag"));
      const length = answer.value.headers.get("Content-Length");
      if (etag === null || length === null || !/^\d{1,15}$/.test(length)) return notS3("head", answer.value);
      return ok({ bytes: Number(length), etag });
    },

    async get(key, limitBytes) {
      const answer = await send({ operation: "get", method: "GET", url: url(key), limitBytes });
      return answer.ok ? ok(answer.value.body) : answer;
    },

    remove: async (key) => gone(await send({ operation: "remove", method: "DELETE", url: url(key) }), "no_such_key"),
  });
}

/** node:crypto runs natively in workerd, as fast as crypto.subtle there, and knows MD5 in Node, too. */
export const md5Of = (body: Uint8Array): Buffer => createHash("md5").update(body).digest();

const credentialsProblem = (credentials: Credentials): StoreFailure | null => {
  if (!HEADER_TEXT.test(credentials.accessKeyId)) {
    return configurationFailure("unknown_access_key", "Give access_key_id without blanks and line breaks.");
  }
  if (credentials.secretAccessKey === "") {
    return configurationFailure("access_denied", "Give secret_access_key.");
  }
  if (credentials.sessionToken !== null && !HEADER_TEXT.test(credentials.sessionToken)) {
    return configurationFailure("access_denied", "Give session_token without blanks and line breaks, or leave it out.");
  }
  return null;
};

const written = (operation: StoreOperation, answer: StoreAnswer, md5: string): Result<Written, StoreFailure> => {
  const etag = etagOf(answer.headers.get("ETag"));
  return etag === null ? notS3(operation, answer) : ok({ etag, md5 });
};

/** A store may answer 200 at once, work, and find out in the body that it failed. */
const completed = (answer: StoreAnswer): Result<{ etag: string | null }, StoreFailure> => {
  const { status, body } = answer;
  const reply = readReply(body);
  if (reply !== null && isError(reply)) {
    return fail(storeFailureOf("complete_upload", { kind: "answer", status, code: codeOf(body) }));
  }
  if (reply?.root !== "CompleteMultipartUploadResult") return notS3("complete_upload", answer);
  return ok({ etag: etagOf(reply.text("ETag")) });
};

/** Taking away what is not there is done. */
const gone = (
  answer: Result<StoreAnswer, StoreFailure>,
  already: "no_such_key" | "no_such_upload",
): Result<null, StoreFailure> => (answer.ok || answer.failure.reason === already ? ok(null) : answer);

const notS3 = (
  operation: StoreOperation,
  answer: StoreAnswer,
): { readonly ok: false; readonly failure: StoreFailure } =>
  fail(storeFailureOf(operation, { kind: "not_s3", status: answer.status }));
