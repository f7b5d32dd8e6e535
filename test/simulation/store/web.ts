import type { Faults } from "../kernel/faults.ts";
import type { Kernel, Speaker } from "../kernel/kernel.ts";
import { type Seen, serve } from "./broken-answers.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import { decodeRequest, type StoreRequest } from "./requests.ts";

/** Delays in ms: usual delay of one direction, maximum of a slow answer, maximum of a duplicate request. */
const USUAL_MS = 30;
const SLOW_MS = 50_000;
const COPY_LATEST_MS = 600_000;

/** The sender of a request, which sends when its writes are durable. */
interface Sender extends Speaker {
  send(leave: () => void): void;
}

/** `fetch` for actors. The only reachable server is the customer's bucket. */
export const fetchFrom =
  (kernel: Kernel, faults: Faults, bucket: CustomerBucket, speaking: () => Sender | null, onText: OnText) =>
  (input: string, init: RequestInit): Promise<Response> => {
    const sender = speaking();
    const request = requestOf(input, init);
    const { signal } = init;
    if (signal?.aborted) return Promise.reject(new DOMException("aborted", "AbortError"));
    const operation = decodeRequest(request);
    const what = `S3 ${operation.kind} ${operation.key}${"part" in operation ? ` #${operation.part}` : ""}`;
    onText(`${input} ${[...request.headers].join(" ")} ${Buffer.from(request.body).toString("latin1")}`, what);
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      const arrive = () => {
        bucket.doubts.arrived(operation);
        const seen = serve(bucket, faults, request, () => kernel.random.fraction());
        if (seen.kind === "silence") return;
        const slowest = faults.occurs("slow_reply") ? SLOW_MS : USUAL_MS;
        const label = `${seen.kind === "reset" ? "reset" : `answer ${seen.answer.status}`} ${what}`;
        const deliver = () => {
          if (seen.kind === "reset") return reject(new TypeError("fetch failed"));
          if (seen.isSound && seen.answer.status < 300) bucket.doubts.acknowledged(operation);
          resolve(responseOf(seen));
        };
        kernel.plan(kernel.random.fraction() * slowest, label, deliver, sender);
      };
      const leave = () => {
        kernel.plan(kernel.random.fraction() * USUAL_MS, what, arrive);
        if (!faults.occurs("late_duplicate")) return;
        kernel.plan(kernel.random.fraction() * COPY_LATEST_MS, `once more: ${what}`, () => {
          bucket.doubts.arrived(operation);
          bucket.handle(request);
        });
      };
      if (sender === null) leave();
      else sender.send(leave);
    });
  };

type OnText = (text: string, where: string) => void;

function requestOf(input: string, { method, headers, body }: RequestInit): StoreRequest {
  const bytes = body instanceof Uint8Array ? Uint8Array.from(body) : new Uint8Array(0);
  return { method: method ?? "GET", url: new URL(input), headers: new Headers(headers), body: bytes };
}

/** The members of a Response that src/s3 uses. A real Response would be read outside of simulated time. */
function responseOf({ answer, isBodyBroken }: Extract<Seen, { kind: "answer" }>): Response {
  const { status, headers } = answer;
  const bytes = typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : answer.body;
  const chunks = bytes.length === 0 ? [] : isBodyBroken ? [bytes.subarray(0, bytes.length >> 1)] : [bytes];
  const read = async () => {
    const value = chunks.shift();
    if (value !== undefined) return { done: false, value };
    if (isBodyBroken) throw new TypeError("terminated");
    return { done: true, value: undefined };
  };
  const body = { getReader: () => ({ read, cancel: async () => undefined }) };
  const isGood = status >= 200 && status <= 299;
  return { status, ok: isGood, headers: new Headers(headers), body } as unknown as Response; // only the members that src/s3 uses
}
