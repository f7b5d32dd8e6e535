import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { forward, withoutDigests } from "./broken-s3-forward.ts";
import { breakOff, errorReply, fakeReply, type S3Reply, send, withoutEtag } from "./broken-s3-replies.ts";
import { bodyOf, requestOf, type S3Request } from "./broken-s3-request.ts";
import { type FaultRule, FaultRules } from "./broken-s3-rules.ts";
import type { ErrorAnswer, Fault, S3Operation } from "./broken-s3-words.ts";
import { type LocalS3, startLocalS3 } from "./local-s3.ts";

/** A real store behind a proxy that injects faults. */
export interface BrokenS3 extends Omit<LocalS3, "get" | "list"> {
  /** The store without the proxy. */
  readonly store: LocalS3;
  /** All requests since the last call of `setRules`, in the order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Replaces the rules. Without rules, all requests pass. */
  setRules(...rules: readonly FaultRule[]): void;
  /** Keys of multipart uploads below the prefix that were neither completed nor aborted. */
  openUploads(prefix: string): readonly string[];
  /** Resolves when all requests to deliver again were delivered. */
  settled(): Promise<void>;
}

export interface SeenRequest {
  readonly operation: S3Operation;
  readonly key: string;
  readonly part: number | null;
  /** Value of Content-Length. */
  readonly bytes: number;
  readonly accessKeyId: string | null;
  /** The injected fault; null: it passed. */
  readonly fault: Fault | null;
  /** Time of arrival, in epoch milliseconds. */
  readonly at: number;
  /** Part uploads in flight when it arrived, including itself. */
  readonly partsInFlight: number;
}

/**
 * Starts a store with one empty bucket and the proxy, both on free ports of 127.0.0.1. The proxy accepts any key pair,
 * because it signs the requests for the store; a rule can refuse a key.
 */
export async function startBrokenS3(): Promise<BrokenS3> {
  const store = await startLocalS3();
  const base = new URL(`${store.endpointUrl}/${store.bucketName}/`);
  const rules = new FaultRules();
  const uploads = new Map<string, string>();
  const later = new Set<Promise<unknown>>();
  let requests: SeenRequest[] = [];
  let partsInFlight = 0;

  /** Executes a request on the real store. */
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
      rule.onFault?.();
      return void incoming.socket.resetAndDestroy();
    }
    const body = await bodyOf(incoming);
    if (rule === null) return send(outgoing, await perform(request, body));
    const { forMs = 0 } = rule;
    const onFault = () => rule.onFault?.();
    switch (rule.fault) {
      case "refused":
        server.close();
        server.closeAllConnections();
        onFault();
        return void setTimeout(() => server.listen(port, "127.0.0.1"), forMs);
      case "silence":
        return onFault();
      case "silence_after":
        await perform(request, body);
        return onFault();
      case "lost_reply":
        await perform(request, body);
        onFault();
        return void incoming.socket.resetAndDestroy();
      case "reset_in_reply": {
        const reply = await perform(request, body);
        onFault();
        return breakOff(outgoing, reply);
      }
      case "slow":
        await Promise.all([pause(forMs), rule.until]);
        onFault();
        return send(outgoing, await perform(request, body));
      case "fake_success":
        onFault();
        return send(outgoing, fakeReply(request, body));
      case "no_etag": {
        const reply = await perform(request, body);
        onFault();
        return send(outgoing, withoutEtag(reply));
      }
      case "truncated": {
        const reply = await perform(withoutDigests(request), body.subarray(0, body.length >> 1));
        onFault();
        return send(outgoing, reply);
      }
      case "damaged": {
        const reply = await perform(withoutDigests(request), Buffer.from(body.map((byte) => byte ^ 1)));
        onFault();
        return send(outgoing, reply);
      }
      case "delivered_again": {
        const reply = await perform(request, body);
        const second = pause(forMs).then(() => perform(request, body));
        later.add(second);
        onFault();
        return send(outgoing, reply);
      }
      default:
        onFault();
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
    // In some tests the sender breaks the connection.
    serve(incoming, outgoing, rule).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is not a pipe name.
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
    setRules(...ruled) {
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

const uploadIdIn = (body: Buffer): string => /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString())?.[1] ?? "";

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
