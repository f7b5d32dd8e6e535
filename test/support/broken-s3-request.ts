import type { IncomingMessage } from "node:http";
import type { FaultTarget } from "./broken-s3-rules.ts";
import type { S3Operation } from "./broken-s3-words.ts";

/** A path-style request to a store, without its body. */
export interface S3Request extends FaultTarget {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly part: number | null;
  readonly uploadId: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Decodes a request. `base`: path of the bucket with a trailing slash. */
export const requestOf = (incoming: IncomingMessage, base: string): S3Request => {
  const { method = "GET", url: path = "/" } = incoming;
  const { pathname, searchParams: query } = new URL(path, "http://store");
  const key = pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : "";
  const part = query.get("partNumber");
  return {
    method,
    path,
    operation: operationOf(method, key, query),
    key,
    part: part === null ? null : Number(part),
    uploadId: query.get("uploadId"),
    accessKeyId: /Credential=([^/]+)\//.exec(incoming.headers.authorization ?? "")?.[1] ?? null,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ),
  };
};

const operationOf = (method: string, key: string, query: URLSearchParams): S3Operation => {
  const isUpload = query.has("uploadId");
  switch (method) {
    case "PUT":
      return isUpload ? "put_part" : "put";
    case "POST":
      return isUpload ? "complete_upload" : "create_upload";
    case "DELETE":
      return isUpload ? "abort_upload" : "remove";
    case "HEAD":
      return "head";
    default:
      if (key !== "") return "get";
      return query.has("uploads") ? "list_uploads" : "list";
  }
};

/** The whole body; rejects if the sender breaks the connection. */
export const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
};
