import { type Etags, UNKNOWN_ETAGS } from "../domain/destination/check.ts";
import type { Credentials, DestinationConfig } from "../domain/destination/records.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { md5Of } from "../store/etags.ts";
import { configurationFailure } from "../store/failures.ts";
import type { JoinedObject, Store, StoreOperation, Written } from "../store/store.ts";
import { addressOf, objectUrl } from "./address.ts";
import { exchange, type Session, type StoreAnswer, type StoreRequest } from "./exchange.ts";
import { s3FailureOf } from "./failures.ts";
import { listedUploadsOf } from "./listed-uploads.ts";
import { objectHeaders } from "./object-headers.ts";
import { codeOf, completionOf, etagOf, isError, readReply, uploadIdOf } from "./replies.ts";

export interface StoreOptions {
  /** For development: accept http and https endpoints on this machine. */
  readonly allowLoopback: boolean;
  /** Deadline of each request, including the body of its answer; default: DEFAULT_TIMEOUT_MS. */
  readonly timeoutMs?: number;
  /** Ends all requests, like their deadline. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch;
  /** What the destination check found; absent: nothing is known. */
  readonly etags?: Etags;
  /**
   * Ends requests that write an object or a part, and HEAD. Those that open, join or discard an upload are always
   * awaited: what they did must be known to clean up.
   */
  readonly giveUp?: AbortSignal;
}

/** Enough for a part of 8 MiB at 1.1 Mbit/s; a slower store counts as unreachable [LIM-18]. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Uploads of one page: with the longest keys and ids of real stores they fit into the longest answer that is read. */
const UPLOADS_PER_PAGE = "20";

/** Characters of an HTTP header: visible ASCII. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** The adapter for S3 stores. Sends no request; fails if the configuration or the credentials cannot work. */
export function openS3Store(
  config: DestinationConfig,
  credentials: Credentials,
  settings: StoreOptions,
): Result<Store, StoreFailure> {
  const address = addressOf(config, settings);
  if (!address.ok) return address;
  const problem = credentialsProblem(credentials);
  if (problem !== null) return fail(problem);

  const session: Session = {
    credentials,
    region: address.value.region,
    timeoutMs: settings.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal: settings.signal,
    // workerd's fetch must be called as a function of the global object.
    fetch: settings.fetch ?? ((input, init) => fetch(input, init)),
    giveUp: settings.giveUp,
    signingKeys: new Map(),
  };
  const url = (key: string, query?: Readonly<Record<string, string>>) => objectUrl(address.value, key, query);
  const send = (request: StoreRequest) => exchange(session, request);
  const options = objectHeaders(config.objectOptions);
  const write = async (operation: "put" | "put_part", target: string, body: Uint8Array) => {
    const md5 = md5Of(body);
    const headers = { "Content-MD5": md5.toString("base64"), ...(operation === "put" ? options : {}) };
    const answer = await send({ operation, method: "PUT", url: target, headers, body });
    return answer.ok ? written(operation, answer.value, md5.toString("hex")) : answer;
  };

  return ok({
    etags: settings.etags ?? UNKNOWN_ETAGS,
    region: address.value.region,

    put: (key, body) => write("put", url(key), body),

    async createUpload(key) {
      const target = url(key, { uploads: "" });
      const answer = await send({ operation: "create_upload", method: "POST", url: target, headers: options });
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
      return ok({
        bytes: Number(length),
        etag,
        ...(isKeyEncrypted(answer.value.headers) ? { isKeyEncrypted: true } : {}),
      });
    },

    remove: async (key) => gone(await send({ operation: "remove", method: "DELETE", url: url(key) }), "no_such_key"),

    async list(prefix) {
      const query = { "list-type": "2", "max-keys": "1", prefix: prefix === "" ? "" : `${prefix}/` };
      const answer = await send({ operation: "list", method: "GET", url: url("", query) });
      if (!answer.ok) return answer;
      return readReply(answer.value.body)?.root === "ListBucketResult" ? ok(null) : notS3("list", answer.value);
    },

    async listUploads(prefix, from) {
      const markers = from === null ? {} : { "key-marker": from.key, "upload-id-marker": from.uploadId };
      const query = {
        uploads: "",
        "max-uploads": UPLOADS_PER_PAGE,
        prefix: prefix === "" ? "" : `${prefix}/`,
        ...markers,
      };
      const answer = await send({ operation: "list_uploads", method: "GET", url: url("", query) });
      if (!answer.ok) return answer;
      const listed = listedUploadsOf(answer.value.body, from);
      return listed === null ? notS3("list_uploads", answer.value) : ok(listed);
    },
  });
}

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

const isKeyEncrypted = (headers: Headers): boolean =>
  headers.get("x-amz-server-side-encryption")?.startsWith("aws:kms") === true ||
  headers.has("x-amz-server-side-encryption-customer-algorithm");

const written = (operation: StoreOperation, answer: StoreAnswer, md5: string): Result<Written, StoreFailure> => {
  const etag = etagOf(answer.headers.get("ETag"));
  return etag === null ? notS3(operation, answer) : ok({ etag, md5 });
};

/** A store may send 200 before it joins the parts; the body then reports a failure. */
const completed = (answer: StoreAnswer): Result<JoinedObject, StoreFailure> => {
  const { status, body } = answer;
  const reply = readReply(body);
  if (reply !== null && isError(reply)) {
    return fail(s3FailureOf("complete_upload", { kind: "answer", status, code: codeOf(body) }));
  }
  if (reply?.root !== "CompleteMultipartUploadResult") return notS3("complete_upload", answer);
  return ok({ etag: etagOf(reply.text("ETag")) });
};

/** A missing object counts as removed. */
const gone = (
  answer: Result<StoreAnswer, StoreFailure>,
  already: "no_such_key" | "no_such_upload",
): Result<null, StoreFailure> => (answer.ok || answer.failure.reason === already ? ok(null) : answer);

const notS3 = (
  operation: StoreOperation,
  answer: StoreAnswer,
): { readonly ok: false; readonly failure: StoreFailure } =>
  fail(s3FailureOf(operation, { kind: "not_s3", status: answer.status }));
