import { vi } from "vitest";
import { assertFindable, searchAnswer } from "./exchange.ts";
import { search } from "./leaks.ts";
import { addSecretsOf, searchState } from "./state.ts";

/**
 * Setup of all test files that use a real service. Searches its answers, and when it stops, its log and its state.
 */
vi.mock("../../../dev/start.ts", async (original) => {
  const { startWaybill, ...others } = await original<typeof import("../../../dev/start.ts")>();
  const watched: typeof startWaybill = async (options) => {
    const waybill = await startWaybill(options);
    addSecretsOf(options.stateDir);
    const stop = async (): Promise<void> => {
      await waybill.stop();
      searchState(options.stateDir);
    };
    return { ...waybill, stop };
  };
  return { ...others, startWaybill: watched };
});

const { fetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const request = input instanceof Request ? input : null;
  const { pathname, search: query } = new URL(request?.url ?? String(input));
  const exchange = { method: init?.method ?? request?.method ?? "GET", path: pathname + query };
  if (typeof init?.body === "string") assertFindable(init.body);
  const answer = await fetch(input, init);
  if (answer.body === null) return answer;
  if (answer.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    const events = answer.body.pipeThrough(searchedStream(`the stream of ${exchange.path}`));
    return new Response(events, answer);
  }
  const bytes = await answer.arrayBuffer();
  searchAnswer(exchange, answer.headers, new TextDecoder().decode(bytes));
  return new Response(bytes, answer);
};

/** Searches a stream while it passes, because the stream may not end. */
const searchedStream = (where: string): TransformStream<Uint8Array, Uint8Array> => {
  let last = "";
  const decoder = new TextDecoder();
  return new TransformStream({
    transform(chunk, controller) {
      const text = last + decoder.decode(chunk, { stream: true });
      search(text, where);
      last = text.slice(-MAX_SECRET);
      controller.enqueue(chunk);
    },
  });
};

/** Maximum length of a secret across two chunks, in characters: an API key has 80. */
const MAX_SECRET = 200;
