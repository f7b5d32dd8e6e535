import type { ApiAccess } from "../api.ts";

/** What visitors of an agent met. */
export interface Visits {
  readonly answered: number;
  /** Answers other than 200, in words. */
  readonly failed: readonly string[];
  /** Different replies in the order in which they were first heard. */
  readonly replies: readonly string[];
}

const VISITORS = 4;

/** Visitors who talk to the agent without a pause, each one question after the other, until told to stop. */
export const sendVisitors = (api: ApiAccess, url: string): { stop(): Promise<Visits> } => {
  let isOver = false;
  let answered = 0;
  const failed: string[] = [];
  const replies = new Set<string>();
  const visit = async (): Promise<void> => {
    while (!isOver) {
      const reply = await chat(api, url, "visitor").catch((error: unknown) => ({ failure: String(error) }));
      if ("failure" in reply) failed.push(reply.failure);
      else {
        answered += 1;
        replies.add(reply.text);
      }
    }
  };
  const visits = Promise.all(Array.from({ length: VISITORS }, visit));
  return {
    async stop() {
      isOver = true;
      await visits;
      return { answered, failed, replies: [...replies] };
    },
  };
};

/** One question to the deployed agent. */
export const chat = async (
  api: ApiAccess,
  url: string,
  message: string,
): Promise<{ readonly text: string } | { readonly failure: string }> => {
  const answer = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "X-API-Key": api.api_key, "Content-Type": "application/json" },
    body: JSON.stringify({ message }),
  });
  const text = await answer.text();
  if (!answer.ok) return { failure: `${answer.status}: ${text}` };
  return { text: (JSON.parse(text) as { reply: string }).reply }; // the example answers so
};
