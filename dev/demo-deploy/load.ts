import type { ApiAccess } from "../api.ts";

/** Result of the requests to an agent. */
export interface LoadResult {
  readonly answered: number;
  /** Texts of failed requests. */
  readonly failed: readonly string[];
  /** Distinct replies, in the order in which they first occurred. */
  readonly replies: readonly string[];
}

const CLIENTS = 4;

/** Sends requests to the agent from several clients concurrently, without pauses, until `stop` is called. */
export const startLoad = (api: ApiAccess, url: string): { stop(): Promise<LoadResult> } => {
  let isOver = false;
  let answered = 0;
  const failed: string[] = [];
  const replies = new Set<string>();
  const send = async (): Promise<void> => {
    while (!isOver) {
      const reply = await chat(api, url, "visitor").catch((error: unknown) => ({ failure: String(error) }));
      if ("failure" in reply) failed.push(reply.failure);
      else {
        answered += 1;
        replies.add(reply.text);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, send));
  return {
    async stop() {
      isOver = true;
      await clients;
      return { answered, failed, replies: [...replies] };
    },
  };
};

export type Reply = { readonly text: string } | { readonly failure: string };

/** Sends one message to the deployed agent. */
export const chat = async (api: ApiAccess, url: string, message: string): Promise<Reply> => {
  const answer = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "X-API-Key": api.api_key, "Content-Type": "application/json" },
    body: JSON.stringify({ message }),
  });
  const text = await answer.text();
  if (!answer.ok) return { failure: `${answer.status}: ${text}` };
  return { text: (JSON.parse(text) as { reply: string }).reply }; // examples/agent/server.ts answers with this shape
};
