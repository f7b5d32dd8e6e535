import type { ApiAccess } from "../dev/api.ts";
import type { IngestRequest } from "./requests.ts";

/** Concurrent requests; the langsmith SDK sends five. */
const CONCURRENCY = 5;

/** Sends all requests to the public ingest API and returns the wall time in milliseconds. */
export const ingest = async (api: ApiAccess, requests: readonly IngestRequest[]): Promise<number> => {
  const begun = performance.now();
  const waiting = requests.values();
  const sendNext = async (): Promise<void> => {
    for (const request of waiting) await send(api, request);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  return performance.now() - begun;
};

const send = async (api: ApiAccess, request: IngestRequest): Promise<void> => {
  const answer = await fetch(`${api.url}/runs/multipart`, {
    method: "POST",
    headers: { "X-API-Key": api.api_key, "Content-Type": request.contentType },
    body: request.body,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`ingest was answered with ${answer.status}: ${text}`);
};
