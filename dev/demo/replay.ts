import { type Client, RunTree, type RunTreeConfig } from "langsmith";
import { type Conversation, type Trace, usageOf } from "./conversations.ts";

/** One step of a replayed conversation. Times are in milliseconds after the start of the conversation. */
interface Step {
  readonly name: string;
  readonly run_type: string;
  readonly beginsMs: number;
  readonly takesMs: number;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly error?: string;
  readonly metadata?: Record<string, unknown>;
}

const WHOLE_MS = 2400;

/** Sends a conversation as a tree of runs with explicit times. */
export const replay = async (conversation: Conversation, client: Client, startTime: number): Promise<Trace> => {
  const config: RunTreeConfig = {
    name: "support agent",
    run_type: "chain",
    inputs: { question: conversation.question },
    tags: ["demo", "replayed"],
    start_time: startTime,
    client,
  };
  const root = new RunTree(config);
  await root.postRun();
  const steps = stepsOf(conversation);
  for (const step of steps) {
    const { name, run_type, inputs, metadata } = step;
    const begins = startTime + step.beginsMs;
    const run = root.createChild({ name, run_type, inputs, start_time: begins, ...(metadata ? { metadata } : {}) });
    await run.postRun();
    await run.end(step.error === undefined ? step.outputs : undefined, step.error, begins + step.takesMs);
    await run.patchRun();
  }
  const error = steps.find((step) => step.error !== undefined)?.error;
  await root.end(error === undefined ? { answer: conversation.answer } : undefined, error, startTime + WHOLE_MS);
  await root.patchRun();
  return { runs: steps.length + 1, rootId: root.id };
};

const stepsOf = (conversation: Conversation): readonly Step[] => {
  const model = { ls_model_name: conversation.model.name, ls_provider: "demo" };
  const search: Step = {
    name: "search documents",
    run_type: "retriever",
    beginsMs: 10,
    takesMs: 120,
    inputs: { query: conversation.question },
    outputs: { documents: [{ page_content: conversation.document, metadata: { source: "handbook" } }] },
  };
  const lookUp: Step = {
    name: "look up order",
    run_type: "tool",
    beginsMs: 140,
    takesMs: 310,
    inputs: { customer: conversation.customer },
    outputs: { order: conversation.customer, state: "shipped" },
    ...(conversation.isBroken ? { error: "Error: order system: connection refused" } : {}),
  };
  const think: Step = {
    name: "compose answer",
    run_type: "llm",
    beginsMs: 460,
    takesMs: 1900,
    inputs: { messages: [{ role: "user", content: conversation.question }], documents: [conversation.document] },
    outputs: { role: "assistant", content: conversation.answer, usage_metadata: usageOf(conversation.model, 510, 38) },
    metadata: model,
  };
  return conversation.isBroken ? [search, lookUp] : [search, lookUp, think];
};
