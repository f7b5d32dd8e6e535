import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsV4Signer } from "aws4fetch";
import { errorReply, fakeReply, type S3Reply, withoutEtag } from "./broken-s3-replies.ts";
import { bodyOf, requestOf, type S3Request } from "./broken-s3-request.ts";
import { type FaultRule, FaultRules } from "./broken-s3-rules.ts";
import type { ErrorAnswer, Fault, S3Operation } from "./broken-s3-words.ts";
import { type LocalS3, startLocalS3 } from "./local-s3.ts";

/** A real store behind a way that breaks as it is told to. */
export interface BrokenS3 extends Omit<LocalS3, "get" | "list"> {
  /** The store itself, past everything that is broken. */
  readonly store: LocalS3;
  /** Every request since `obey` was last called, in the order in which they came. */
  readonly requests: readonly SeenRequest[];
  /** From now on these rules hold, and no earlier ones. Without any, everything passes. */
  obey(...rules: readonly FaultRule[]): void;
  /** Uploads that the store has opened below the prefix and that were neither completed nor given up. */
  openUploads(prefix: string): readonly string[];
  /** Resolves when everything that is to be delivered again has been. */
  settled(): Promise<void>;
}

export interface SeenRequest {
  readonly operation: S3Operation;
  readonly key: string;
  readonly part: number | null;
  /** Length of the body that was announced. */
  readonly bytes: number;
  readonly accessKeyId: string | null;
  /** What went wrong with it; null: it passed. */
  readonly fault: Fault | null;
  /** Epoch milliseconds at which it came. */
  readonly at: number;
  /** Parts on their way when it came, itself included. */
  readonly partsInFlight: number;
}

/**
 * Starts a store with one empty bucket and the broken way to it, both on free ports of 127.0.0.1. Any key pair is
 * taken, because what passes is signed anew for the store: a rule can refuse one.
 */
export async function startBrokenS3(): Promise<BrokenS3> {
  const store = await startLocalS3();
  const base = new URL(`${store.endpointUrl}/${store.bucketName}/`);
  const rules = new FaultRules();
  const uploads = new Map<string, string>();
  const later = new Set<Promise<unknown>>();
  let requests: SeenRequest[] = [];
  let partsInFlight = 0;

  /** What the real store does with it. */
  const perform = async (request: S3Request, body: Buffer): Promise<S3Reply> => {
    const reply = await forward(base.origin, store, request, body);
    const { operation, key, uploadId } = request;
    const isDone = reply.status < 300;
    if (operation === "create_upload" && isDone) uploads.set(uploadIdIn(reply.body), key);
    const isEnd = operation === "complete_upload" || operation === "abort_upload";
    if (isEnd && isDone && uploadId !== null) uploads.delete(uploadId);
    return reply;
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse, rule: FaultRule | null) => {
    const request = requestOf(incoming, base.pathname);
    if (rule?.fault === "reset" || rule?.fault === "reset_in_request") {
      if (rule.fault === "reset_in_request" && incoming.headers["content-length"] !== "0") await once(incoming, "data");
      rule.struck?.();
      return void incoming.socket.resetAndDestroy();
    }
    const body = await bodyOf(incoming);
    if (rule === null) return send(outgoing, await perform(request, body));
    const { forMs = 0 } = rule;
    const struck = () => rule.struck?.();
    switch (rule.fault) {
      case "refused":
        server.close();
        server.closeAllConnections();
        struck();
        return void setTimeout(() => server.listen(port, "127.0.0.1"), forMs);
      case "silence":
        return struck();
      case "silence_after":
        await perform(request, body);
        return struck();
      case "lost_reply":
        await perform(request, body);
        struck();
        return void incoming.socket.resetAndDestroy();
      case "reset_in_reply": {
        const reply = await perform(request, body);
        struck();
        return breakOff(outgoing, reply);
      }
      case "slow":
        await pause(forMs);
        struck();
        return send(outgoing, await perform(request, body));
      case "fake_success":
        struck();
        return send(outgoing, fakeReply(request, body));
      case "no_etag": {
        const reply = await perform(request, body);
        struck();
        return send(outgoing, withoutEtag(reply));
      }
      case "truncated": {
        const reply = await perform(withoutDigests(request), body.subarray(0, body.length >> 1));
        struck();
        return send(outgoing, reply);
      }
      case "delivered_again": {
        const reply = await perform(request, body);
        const second = pause(forMs).then(() => perform(request, body));
        later.add(second);
        struck();
        return send(outgoing, reply);
      }
      default:
        struck();
        return send(outgoing, errorReply(rule.fault satisfies ErrorAnswer));
    }
  };

  const server = createServer((incoming, outgoing) => {
    const { operation, key, part, accessKeyId } = requestOf(incoming, base.pathname);
    const rule = rules.strike({ operation, key, accessKeyId });
    if (operation === "put_part") {
      partsInFlight += 1;
      outgoing.once("close", () => {
        partsInFlight -= 1;
      });
    }
    const fault = rule?.fault ?? null;
    const bytes = Number(incoming.headers["content-length"] ?? 0);
    requests.push({ operation, key, part, bytes, accessKeyId, fault, at: Date.now(), partsInFlight });
    // A sender that breaks off is what some tests are about.
    serve(incoming, outgoing, rule).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is never a pipe's name.
  const { port } = server.address() as AddressInfo;

  return {
    store,
    endpointUrl: `http://127.0.0.1:${port}${new URL(store.endpointUrl).pathname}`,
    bucketName: store.bucketName,
    region: store.region,
    accessKeyId: store.accessKeyId,
    secretAccessKey: store.secretAccessKey,
    get requests() {
      return requests;
    },
    obey(...ruled) {
      rules.replace(ruled);
      requests = [];
    },
    openUploads: (prefix) => [...uploads.values()].filter((key) => key.startsWith(prefix)),
    settled: async () => void (await Promise.all(later)),
    async stop() {
      server.close();
      server.closeAllConnections();
      await store.stop();
    },
  };
}

/** Headers that belong to the connection or to the signature, which is made anew. */
const OWN_HEADERS = ["host", "connection", "content-length", "authorization", "x-amz-date", "x-amz-security-token"];

const forward = async (origin: string, store: LocalS3, request: S3Request, body: Buffer): Promise<S3Reply> => {
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

const withoutDigests = (request: S3Request): S3Request => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name !== "content-md5" && !name.startsWith("x-amz-checksum"))
      .map(([name, value]) => [name, name === "x-amz-content-sha256" ? "UNSIGNED-PAYLOAD" : value]),
  ),
});

const uploadIdIn = (body: Buffer): string => /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString())?.[1] ?? "";

const send = (outgoing: ServerResponse, { status, headers, body }: S3Reply): void => {
  const isHead = outgoing.req.method === "HEAD";
  outgoing.writeHead(status, isHead ? headers : { ...headers, "content-length": body.length });
  outgoing.end(isHead ? undefined : body);
};

/** Half of the body, or half of the headers where there is none. */
const breakOff = (outgoing: ServerResponse, { status, headers, body }: S3Reply): void => {
  const { socket } = outgoing;
  if (body.length === 0) {
    socket?.write(`HTTP/1.1 ${status} OK\r\nETag: `, () => socket.destroy());
    return;
  }
  outgoing.writeHead(status, { ...headers, "content-length": body.length });
  outgoing.write(body.subarray(0, body.length >> 1), () => socket?.destroy());
};

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
