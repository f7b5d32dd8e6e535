import { createHash } from "node:crypto";
import { Doubts } from "./doubts.ts";
import { decodeRequest, type Operation, type StoreRequest } from "./requests.ts";

/** A store's answer, before a fault changes it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

interface OpenUpload {
  readonly key: string;
  readonly initiatedAt: number;
  readonly parts: Map<number, StoredObject>;
}

export interface BucketRules {
  readonly minPartBytes: number;
  readonly mayRead: boolean;
  readonly mayAbort: boolean;
  readonly mayDelete: boolean;
}

/**
 * A customer's S3 bucket without faults: real ETags, checked MD5 of each body, multipart uploads whose parts except the
 * last have equal sizes (R2) of at least the minimum (S3), and access keys that can change.
 */
export class CustomerBucket {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, OpenUpload>();
  readonly doubts = new Doubts();
  /** Keys with an acknowledged write that was not stored. */
  readonly faked = new Set<string>();
  /** Number of requests with a fault or a refusal by export id. Only these may cause retries. */
  readonly troubles = new Map<string, number>();
  /** Valid access key ids. */
  readonly keys = new Set<string>();
  readonly rules: BucketRules;
  readonly #onObject: (key: string, object: StoredObject) => void;
  #uploadsMade = 0;
  isThere = true;

  constructor(rules: BucketRules, onObject: (key: string, object: StoredObject) => void) {
    this.rules = rules;
    this.#onObject = onObject;
  }

  handle(request: StoreRequest): Answer {
    const operation = decodeRequest(request);
    const refusal = this.#refusal(request);
    if (refusal !== null) this.meetsTrouble(operation.key);
    return refusal ?? this.#act(operation, request.body);
  }

  meetsTrouble(key: string): void {
    const [, exportId = ""] = /export_id=([^/]+)/.exec(key) ?? [];
    this.troubles.set(exportId, (this.troubles.get(exportId) ?? 0) + 1);
  }

  /** Deletes an upload, as a lifecycle rule does. */
  forgetUpload(uploadId: string): void {
    this.uploads.delete(uploadId);
  }

  /** Loses one part of an upload. */
  losePart(uploadId: string): void {
    const parts = this.uploads.get(uploadId)?.parts;
    const [first] = parts?.keys() ?? [];
    if (first !== undefined) parts?.delete(first);
  }

  #refusal({ headers }: StoreRequest): Answer | null {
    const signature =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/[^/]+\/s3\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/;
    const [, keyId] = signature.exec(headers.get("Authorization") ?? "") ?? [];
    if (keyId === undefined || !headers.has("X-Amz-Date")) return errorAnswer(403, "AccessDenied");
    if (!this.keys.has(keyId)) return errorAnswer(403, "InvalidAccessKeyId");
    return this.isThere ? null : errorAnswer(404, "NoSuchBucket");
  }

  #act(operation: Operation, body: Uint8Array): Answer {
    switch (operation.kind) {
      case "put":
        return this.#put(operation.key, body, operation.md5);
      case "create_upload": {
        this.#uploadsMade += 1;
        const uploadId = `upload-${this.#uploadsMade}`;
        this.uploads.set(uploadId, { key: operation.key, initiatedAt: Date.now(), parts: new Map() });
        return xml(`<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`);
      }
      case "put_part":
        return this.#putPart(operation, body);
      case "complete_upload":
        return this.#complete(operation, new TextDecoder().decode(body));
      case "abort_upload":
        if (!this.rules.mayAbort) return errorAnswer(403, "AccessDenied");
        return this.uploads.delete(operation.uploadId) ? empty(204) : errorAnswer(404, "NoSuchUpload");
      case "head":
      case "get":
        return this.#read(operation.key, operation.kind);
      case "remove":
        if (!this.rules.mayDelete) return errorAnswer(403, "AccessDenied");
        this.objects.delete(operation.key);
        return empty(204);
      case "list_uploads":
        return this.rules.mayAbort ? this.#listUploads(operation.key) : errorAnswer(403, "AccessDenied");
    }
  }

  /** All in one page. */
  #listUploads(prefix: string): Answer {
    const shown = [...this.uploads]
      .filter(([, { key }]) => key.startsWith(prefix))
      .map(([uploadId, { key, initiatedAt }]) => {
        const at = new Date(initiatedAt).toISOString();
        return `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${at}</Initiated></Upload>`;
      });
    return xml(
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${shown.join("")}</ListMultipartUploadsResult>`,
    );
  }

  #put(key: string, body: Uint8Array, md5: string | null): Answer {
    const digest = createHash("md5").update(body).digest();
    if (md5 !== digest.toString("base64")) return errorAnswer(400, "BadDigest");
    this.#store(key, { bytes: body, etag: digest.toString("hex") });
    return { status: 200, headers: { ETag: `"${digest.toString("hex")}"` }, body: "" };
  }

  #putPart({ uploadId, part, md5 }: Extract<Operation, { kind: "put_part" }>, body: Uint8Array): Answer {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined) return errorAnswer(404, "NoSuchUpload");
    const digest = createHash("md5").update(body).digest();
    if (md5 !== digest.toString("base64")) return errorAnswer(400, "BadDigest");
    const etag = digest.toString("hex");
    upload.parts.set(part, { bytes: body, etag });
    return { status: 200, headers: { ETag: `"${etag}"` }, body: "" };
  }

  #complete({ uploadId }: Extract<Operation, { kind: "complete_upload" }>, wanted: string): Answer {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined) return errorAnswer(404, "NoSuchUpload");
    const listed = [...wanted.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&?[^0-9a-f]*([0-9a-f]+)/g)];
    const numbers = listed.map(([, number]) => Number(number));
    if (numbers.some((number, i) => i > 0 && number <= (numbers[i - 1] ?? 0)))
      return errorAnswer(400, "InvalidPartOrder");
    const parts = listed.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number));
      return part?.etag === etag ? part : undefined;
    });
    const found = parts.filter((part) => part !== undefined);
    if (found.length < parts.length || found.length === 0) return errorAnswer(400, "InvalidPart");
    const [first] = found;
    const min = this.rules.minPartBytes;
    const equal = found.slice(0, -1).every(({ bytes }) => bytes.length === first?.bytes.length);
    if (!equal || (found.at(-1)?.bytes.length ?? 0) > (first?.bytes.length ?? 0))
      return errorAnswer(400, "InvalidPart");
    if (found.slice(0, -1).some(({ bytes }) => bytes.length < min)) return errorAnswer(400, "EntityTooSmall");
    const digests = createHash("md5");
    for (const { etag } of found) digests.update(Buffer.from(etag, "hex"));
    const etag = `${digests.digest("hex")}-${found.length}`;
    this.uploads.delete(uploadId);
    this.#store(upload.key, { bytes: Buffer.concat(found.map(({ bytes }) => bytes)), etag });
    return xml(`<CompleteMultipartUploadResult><ETag>&quot;${etag}&quot;</ETag></CompleteMultipartUploadResult>`);
  }

  #read(key: string, kind: "head" | "get"): Answer {
    if (!this.rules.mayRead) return { ...errorAnswer(403, "AccessDenied"), ...(kind === "head" ? { body: "" } : {}) };
    const object = this.objects.get(key);
    if (object === undefined) return kind === "head" ? empty(404) : errorAnswer(404, "NoSuchKey");
    const headers = { ETag: `"${object.etag}"`, "Content-Length": String(object.bytes.length) };
    return { status: 200, headers, body: kind === "head" ? "" : object.bytes };
  }

  #store(key: string, object: StoredObject): void {
    this.objects.set(key, object);
    this.#onObject(key, object);
  }
}

const empty = (status: number): Answer => ({ status, headers: {}, body: "" });

const xml = (body: string): Answer => ({ status: 200, headers: { "Content-Type": "application/xml" }, body });

export const errorAnswer = (status: number, code: string): Answer => ({
  ...xml(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>as served</Message></Error>`),
  status,
});
