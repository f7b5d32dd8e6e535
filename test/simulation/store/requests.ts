/** A request as it arrives at the store. */
export interface StoreRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** An operation on the store. */
export type Operation =
  | { readonly kind: "put"; readonly key: string; readonly md5: string | null }
  | { readonly kind: "create_upload"; readonly key: string }
  | {
      readonly kind: "put_part";
      readonly key: string;
      readonly uploadId: string;
      readonly part: number;
      readonly md5: string | null;
    }
  | { readonly kind: "complete_upload"; readonly key: string; readonly uploadId: string }
  | { readonly kind: "abort_upload"; readonly key: string; readonly uploadId: string }
  | { readonly kind: "head"; readonly key: string }
  | { readonly kind: "get"; readonly key: string }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "list_uploads"; readonly key: string };

/** Decodes a request. Throws if it is not an S3 request. */
export function decodeRequest({ method, url, headers }: StoreRequest): Operation {
  const [, ...path] = url.pathname.split("/").slice(1); // the first segment is the bucket
  const key = path.map(decodeURIComponent).join("/");
  const { searchParams } = url;
  const uploadId = searchParams.get("uploadId");
  const md5 = headers.get("Content-MD5");
  if (method === "PUT" && uploadId === null) return { kind: "put", key, md5 };
  if (method === "PUT" && uploadId !== null)
    return { kind: "put_part", key, uploadId, part: Number(searchParams.get("partNumber")), md5 };
  if (method === "POST" && searchParams.has("uploads")) return { kind: "create_upload", key };
  if (method === "POST" && uploadId !== null) return { kind: "complete_upload", key, uploadId };
  if (method === "DELETE" && uploadId !== null) return { kind: "abort_upload", key, uploadId };
  if (method === "DELETE") return { kind: "remove", key };
  if (method === "HEAD") return { kind: "head", key };
  if (method === "GET" && searchParams.has("uploads"))
    return { kind: "list_uploads", key: searchParams.get("prefix") ?? "" };
  if (method === "GET") return { kind: "get", key };
  throw new Error(`not an S3 request: ${method} ${url.pathname}`);
}
