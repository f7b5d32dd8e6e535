import { randomUUID } from "node:crypto";
import type { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { type Conversation, type Trace, usageOf } from "./conversations.ts";

const SYSTEM_PROMPT = "You answer customers of a shop. Be brief, and never promise what the documents do not say.";

/** Runs the support agent, traced by the SDK with `traceable`. */
export const answerLive = async (conversation: Conversation, client: Client): Promise<Trace> => {
  const rootId = randomUUID();
  let runs = 0;
  const traced = <Result>(name: string, run_type: string, work: (input: object) => Result, metadata = {}) =>
    traceable(
      (input: object) => {
        runs += 1;
        return work(input);
      },
      { name, run_type, client, metadata, tags: ["demo", "live"] },
    );

  const model = { ls_model_name: conversation.model.name, ls_provider: "demo" };
  const search = traced("search documents", "retriever", () => [
    { page_content: conversation.document, metadata: { source: "handbook" } },
  ]);
  const lookUp = traced("look up order", "tool", () => {
    if (conversation.isBroken) throw new Error("order system: connection refused");
    return { order: conversation.customer, state: "shipped" };
  });
  const think = traced(
    "compose answer",
    "llm",
    () => ({ role: "assistant", content: conversation.answer, usage_metadata: usageOf(conversation.model, 480, 42) }),
    model,
  );
  const agent = traceable(
    async (input: { readonly question: string }) => {
      runs += 1;
      const documents = await search(input);
      const order = await lookUp({ customer: conversation.customer });
      const messages = [
        { role: "system", content: SYSTEM_PROMPT },
        { role: "user", content: input.question },
      ];
      return await think({ messages, documents, order });
    },
    { name: "support agent", run_type: "chain", id: rootId, client, tags: ["demo", "live"] },
  );
  // The error of the order system is part of the demo: it is in the trace and must not stop the demo.
  await agent({ question: conversation.question }).catch(() => {});
  return { runs, rootId };
};
