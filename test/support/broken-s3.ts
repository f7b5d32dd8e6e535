import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { forward, withoutDigests } from "./broken-s3-forward.ts";
import { breakOff, errorReply, fakeReply, type S3Reply, send, withoutEtag } from "./broken-s3-replies.ts";
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
        await Promise.all([pause(forMs), rule.until]);
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

const uploadIdIn = (body: Buffer): string => /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString())?.[1] ?? "";

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
