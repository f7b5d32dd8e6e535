import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { S3Request } from "./broken-s3-request.ts";
import { ERROR_ANSWERS, type ErrorAnswer } from "./broken-s3-words.ts";

export interface S3Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The answer of a store that refuses a request. */
export const errorReply = (answer: ErrorAnswer): S3Reply => {
  const { status, code } = ERROR_ANSWERS[answer];
  if (code === null) return reply(status, "text/html", "<html><body><h1>Bad Gateway</h1></body></html>");
  const refusal = reply(status, "application/xml", `<Error><Code>${code}</Code><Message>Broken.</Message></Error>`);
  return answer === "redirect"
    ? { ...refusal, headers: { ...refusal.headers, Location: "https://elsewhere.example.com/" } }
    : refusal;
};

/** The answer of a working store to a request, which is not executed. */
export const fakeReply = ({ operation, key }: S3Request, body: Buffer): S3Reply => {
  const etag = createHash("md5").update(body).digest("hex");
  switch (operation) {
    case "create_upload":
      return xml("InitiateMultipartUploadResult", `<Key>${key}</Key><UploadId>never-opened</UploadId>`);
    case "complete_upload":
      return xml("CompleteMultipartUploadResult", `<ETag>&quot;${etag}-1&quot;</ETag>`);
    case "abort_upload":
    case "remove":
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    case "put_part":
      return { status: 200, headers: { ETag: '"never-stored"' }, body: Buffer.alloc(0) }; // no MD5, as in R2
    case "put":
    case "head":
    case "get":
    case "list":
    case "list_uploads":
      return { status: 200, headers: { ETag: `"${etag}"` }, body: Buffer.alloc(0) };
  }
};

/** The same answer without any ETag. */
export const withoutEtag = ({ status, headers, body }: S3Reply): S3Reply => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "etag")),
  body: Buffer.from(body.toString("latin1").replace(/<ETag>.*?<\/ETag>/, ""), "latin1"),
});

/** Sends a complete answer. */
export const send = (outgoing: ServerResponse, { status, headers, body }: S3Reply): void => {
  const isHead = outgoing.req.method === "HEAD";
  outgoing.writeHead(status, isHead ? headers : { ...headers, "content-length": body.length });
  outgoing.end(isHead ? undefined : body);
};

/** Sends half of the body, or half of the headers if there is no body, and breaks the connection. */
export const breakOff = (outgoing: ServerResponse, { status, headers, body }: S3Reply): void => {
  const { socket } = outgoing;
  if (body.length === 0) {
    socket?.write(`HTTP/1.1 ${status} OK\r\nETag: `, () => socket.destroy());
    return;
  }
  outgoing.writeHead(status, { ...headers, "content-length": body.length });
  outgoing.write(body.subarray(0, body.length >> 1), () => socket?.destroy());
};

const xml = (root: string, content: string): S3Reply =>
  reply(200, "application/xml", `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content}</${root}>`);

const reply = (status: number, type: string, body: string): S3Reply => ({
  status,
  headers: { "Content-Type": type },
  body: Buffer.from(body),
});
