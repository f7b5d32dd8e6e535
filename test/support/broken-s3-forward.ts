import { AwsV4Signer } from "aws4fetch";
import type { S3Reply } from "./broken-s3-replies.ts";
import type { S3Request } from "./broken-s3-request.ts";
import type { LocalS3 } from "./local-s3.ts";

/** Headers of the connection and of the signature, which is replaced. */
const OWN_HEADERS = ["host", "connection", "content-length", "authorization", "x-amz-date", "x-amz-security-token"];

/** Forwards a request to the store, signed with the store's own key pair. */
export const forward = async (origin: string, store: LocalS3, request: S3Request, body: Buffer): Promise<S3Reply> => {
  const passed = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.includes(name));
  const { accessKeyId, secretAccessKey, region } = store;
  const signed = await new AwsV4Signer({
    method: request.method,
    url: `${origin}${request.path}`,
    headers: Object.fromEntries(passed),
    accessKeyId,
    secretAccessKey,
    service: "s3",
    region,
  }).sign();
  const hasBody = request.method === "PUT" || body.length > 0;
  const answer = await fetch(signed.url, {
    method: request.method,
    headers: signed.headers,
    body: hasBody ? new Uint8Array(body) : null,
    redirect: "manual",
  });
  const headers = [...answer.headers].filter(([name]) => !HOP_HEADERS.includes(name));
  return {
    status: answer.status,
    headers: Object.fromEntries(headers),
    body: Buffer.from(await answer.arrayBuffer()),
  };
};

const HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "content-encoding"];

/** The request without digests of its body, so that the body can be changed. */
export const withoutDigests = (request: S3Request): S3Request => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name !== "content-md5" && !name.startsWith("x-amz-checksum"))
      .map(([name, value]) => [name, name === "x-amz-content-sha256" ? "UNSIGNED-PAYLOAD" : value]),
  ),
});
