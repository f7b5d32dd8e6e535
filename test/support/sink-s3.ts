import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A small and fast in-memory S3 store (path style) for benchmarks and for unusual answers. It does not check signatures;
 * local-s3.ts does. broken-s3.ts injects connection faults.
 */
export interface SinkS3 {
  readonly endpointUrl: string;
  readonly bucketName: string;
  readonly objects: Map<string, StoredObject>;
  /** Multipart uploads in progress, by upload id. */
  readonly uploads: Map<string, Upload>;
  /** All requests, oldest first, without their bodies: a benchmark sends gigabytes. */
  readonly requests: Omit<SinkRequest, "body">[];
  stop(): Promise<void>;
}

export interface StoredObject {
  readonly size: number;
  readonly etag: string;
  /** Content in parts. Joining them would take time that a benchmark would attribute to the sender. */
  readonly chunks: readonly Uint8Array[];
  /** The whole content, joined on first access. */
  readonly bytes: Uint8Array;
}

export interface Upload {
  readonly key: string;
  readonly initiatedAt: number;
  readonly parts: Map<number, StoredObject>;
}

export interface SinkRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** An answer of the hook, which replaces that of the store. */
export interface SinkAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface SinkOptions {
  readonly bucketName?: string;
  readonly hook?: (request: SinkRequest) => SinkAnswer | null | Promise<SinkAnswer | null>;
  /** `counted`: ETags are a counter and Content-MD5 is not checked, so that a benchmark measures the sender only. */
  readonly digests?: "md5" | "counted";
  /** Minimum length of all parts except the last; absent: 5 MiB, as in S3. */
  readonly minPartBytes?: number;
}

const MIN_PART_BYTES = 5 * 1024 * 1024;

/** Starts a store with one empty bucket on a free port of 127.0.0.1. */
export async function startSinkS3(options: SinkOptions = {}): Promise<SinkS3> {
  const bucketName = options.bucketName ?? "sink-bucket";
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();
  const requests: Omit<SinkRequest, "body">[] = [];
  const store = storeIn(objects, uploads, options);

  const server = createServer(async (incoming, outgoing) => {
    const received = await requestOf(incoming).catch(() => null);
    if (received === null) return void incoming.socket.destroy();
    const { bucket, request } = received;
    const { body: _, ...logged } = request;
    requests.push(logged);
    const answer = (await options.hook?.(request)) ?? null;
    if (answer !== null) return send(outgoing, { headers: {}, body: "", ...answer });
    send(outgoing, bucket === bucketName ? store(request) : errorReply(404, "NoSuchBucket"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is not a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    endpointUrl: `http://127.0.0.1:${port}`,
    bucketName,
    objects,
    uploads,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const requestOf = async (incoming: IncomingMessage) => {
  const url = new URL(incoming.url ?? "/", "http://sink");
  const [, bucket = "", ...segments] = url.pathname.split("/").map(decodeURIComponent);
  const body = await bodyOf(incoming);
  const { method = "GET", headers } = incoming;
  return { bucket, request: { method, key: segments.join("/"), query: url.searchParams, headers, body } };
};

/** Reads the body into one buffer of the announced length, because joining chunks would need twice the memory. */
const bodyOf = (incoming: IncomingMessage): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const body = Buffer.allocUnsafeSlow(Number(incoming.headers["content-length"] ?? 0));
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.copy(body, length);
    });
    incoming.on("end", () => (length === body.length ? resolve(body) : reject(new Error("body cut off"))));
    incoming.on("error", reject);
  });

const storeIn = (objects: Map<string, StoredObject>, uploads: Map<string, Upload>, options: SinkOptions) => {
  const minPartBytes = options.minPartBytes ?? MIN_PART_BYTES;
  let counter = 0;
  const stored = (body: Uint8Array): StoredObject =>
    objectOf([body], options.digests === "counted" ? String(++counter).padStart(32, "0") : md5(body).toString("hex"));
  const damaged = (request: SinkRequest): boolean => {
    const announced = request.headers["content-md5"];
    return (
      options.digests !== "counted" && announced !== undefined && announced !== md5(request.body).toString("base64")
    );
  };

  return (request: SinkRequest): Reply => {
    const { method, key, query, body, headers } = request;
    if (headers["transfer-encoding"] !== undefined) return errorReply(411, "MissingContentLength");
    const uploadId = query.get("uploadId");
    const upload = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && (upload === undefined || upload.key !== key)) return errorReply(404, "NoSuchUpload");
    if (method === "PUT" && damaged(request)) return errorReply(400, "BadDigest");

    if (method === "PUT" && upload !== undefined) {
      const part = stored(body);
      upload.parts.set(Number(query.get("partNumber")), part);
      return { status: 200, headers: { ETag: `"${part.etag}"` }, body: "" };
    }
    if (method === "PUT") {
      const object = stored(body);
      objects.set(key, object);
      return { status: 200, headers: { ETag: `"${object.etag}"` }, body: "" };
    }
    if (method === "POST" && query.has("uploads")) {
      const id = `upload-${++counter}+/=`;
      uploads.set(id, { key, initiatedAt: Date.now(), parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (method === "POST" && upload !== undefined && uploadId !== null) {
      const object = joinedObject(upload, new TextDecoder().decode(body), minPartBytes);
      if ("status" in object) return object;
      objects.set(key, object);
      uploads.delete(uploadId);
      return xml(
        `<CompleteMultipartUploadResult><ETag>&quot;${object.etag}&quot;</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (method === "DELETE") {
      if (uploadId === null) objects.delete(key);
      else uploads.delete(uploadId);
      return { status: 204, headers: {}, body: "" };
    }
    if (method === "GET" && key === "" && query.has("uploads")) return listedUploads(uploads, query);
    if (method === "GET" && key === "") return listed(objects, query);
    const object = objects.get(key);
    if (object === undefined) return errorReply(404, "NoSuchKey");
    const shown = { ETag: `"${object.etag}"`, "Content-Length": String(object.size) };
    return { status: 200, headers: shown, body: method === "HEAD" ? "" : object.bytes };
  };
};

const joinedObject = (upload: Upload, asked: string, minPartBytes: number): StoredObject | Reply => {
  const parts: StoredObject[] = [];
  for (const [, number, etag] of asked.matchAll(
    /<PartNumber>(\d+)<\/PartNumber>\s*<ETag>(?:"|&quot;|&#34;)?([^<"&]+)/g,
  )) {
    const part = upload.parts.get(Number(number));
    if (part === undefined || part.etag !== etag) return errorReply(400, "InvalidPart");
    parts.push(part);
  }
  if (parts.length === 0) return errorReply(400, "MalformedXML");
  if (parts.slice(0, -1).some((part) => part.size < minPartBytes)) return errorReply(400, "EntityTooSmall");
  const digests = Buffer.concat(parts.map((part) => Buffer.from(part.etag, "hex")));
  return objectOf(
    parts.flatMap((part) => part.chunks),
    `${md5(digests).toString("hex")}-${parts.length}`,
  );
};

const objectOf = (chunks: readonly Uint8Array[], etag: string): StoredObject => {
  let whole = chunks.length === 1 ? chunks[0] : undefined;
  return {
    size: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    etag,
    chunks,
    get bytes() {
      const joined = whole ?? Buffer.concat(chunks);
      whole = joined;
      return joined;
    },
  };
};

/** ListObjectsV2, always in one page. */
const listed = (objects: ReadonlyMap<string, StoredObject>, query: URLSearchParams): Reply => {
  const prefix = query.get("prefix") ?? "";
  const contents = [...objects]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, { size, etag }]) => {
      const fields = `<Key>${escaped(key)}</Key><Size>${size}</Size><ETag>&quot;${etag}&quot;</ETag>`;
      return `<Contents>${fields}</Contents>`;
    });
  return xml(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`);
};

/** ListMultipartUploads: by key, then by id, in pages. */
const listedUploads = (uploads: ReadonlyMap<string, Upload>, query: URLSearchParams): Reply => {
  const placeOf = (key: string, id: string) => `${key}\0${id}`;
  const after = placeOf(query.get("key-marker") ?? "", query.get("upload-id-marker") ?? "");
  const all = [...uploads]
    .map(([id, upload]) => ({ id, ...upload, place: placeOf(upload.key, id) }))
    .filter(({ key, place }) => key.startsWith(query.get("prefix") ?? "") && place > after)
    .sort((left, right) => (left.place < right.place ? -1 : 1));
  const page = all.slice(0, Number(query.get("max-uploads") ?? "1000"));
  const last = page.at(-1);
  const shown = page.map(({ key, id, initiatedAt }) => {
    const owner = "<Initiator><ID>1</ID></Initiator><Owner><ID>1</ID></Owner><StorageClass>STANDARD</StorageClass>";
    const at = new Date(initiatedAt).toISOString();
    return `<Upload><Key>${escaped(key)}</Key><UploadId>${escaped(id)}</UploadId>${owner}<Initiated>${at}</Initiated></Upload>`;
  });
  const next =
    last === undefined || page.length === all.length
      ? "<IsTruncated>false</IsTruncated>"
      : `<NextKeyMarker>${escaped(last.key)}</NextKeyMarker><NextUploadIdMarker>${escaped(last.id)}</NextUploadIdMarker><IsTruncated>true</IsTruncated>`;
  return xml(`<ListMultipartUploadsResult>${next}${shown.join("")}</ListMultipartUploadsResult>`);
};

const send = (outgoing: ServerResponse, reply: Reply): void => {
  outgoing.writeHead(reply.status, { "Content-Length": Buffer.byteLength(reply.body), ...reply.headers });
  outgoing.end(outgoing.req.method === "HEAD" ? undefined : reply.body);
};

const xml = (document: string): Reply => ({
  status: 200,
  headers: { "Content-Type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${document}`,
});

const errorReply = (status: number, code: string): Reply => ({
  ...xml(`<Error><Code>${code}</Code><Message>Sent by the sink.</Message></Error>`),
  status,
});

const md5 = (bytes: Uint8Array): Buffer => createHash("md5").update(bytes).digest();

const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);
