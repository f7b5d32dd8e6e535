import { type Client, RunTree, type RunTreeConfig } from "langsmith";
import { type Conversation, type Trace, usageOf } from "./conversations.ts";

/** One step of a replayed conversation: what went in, what came out, and when, in milliseconds after its start. */
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

/** Sends a conversation of an earlier day as a tree of runs with explicit times. */
export const replay = async (said: Conversation, client: Client, startTime: number): Promise<Trace> => {
  const config: RunTreeConfig = {
    name: "support agent",
    run_type: "chain",
    inputs: { question: said.question },
    tags: ["demo", "replayed"],
    start_time: startTime,
    client,
  };
  const root = new RunTree(config);
  await root.postRun();
  const steps = stepsOf(said);
  for (const step of steps) {
    const { name, run_type, inputs, metadata } = step;
    const begins = startTime + step.beginsMs;
    const run = root.createChild({ name, run_type, inputs, start_time: begins, ...(metadata ? { metadata } : {}) });
    await run.postRun();
    await run.end(step.error === undefined ? step.outputs : undefined, step.error, begins + step.takesMs);
    await run.patchRun();
  }
  const error = steps.find((step) => step.error !== undefined)?.error;
  await root.end(error === undefined ? { answer: said.answer } : undefined, error, startTime + WHOLE_MS);
  await root.patchRun();
  return { runs: steps.length + 1, rootId: root.id };
};

const stepsOf = (said: Conversation): readonly Step[] => {
  const model = { ls_model_name: said.model.name, ls_provider: "demo" };
  const search: Step = {
    name: "search documents",
    run_type: "retriever",
    beginsMs: 10,
    takesMs: 120,
    inputs: { query: said.question },
    outputs: { documents: [{ page_content: said.document, metadata: { source: "handbook" } }] },
  };
  const lookUp: Step = {
    name: "look up order",
    run_type: "tool",
    beginsMs: 140,
    takesMs: 310,
    inputs: { customer: said.customer },
    outputs: { order: said.customer, state: "shipped" },
    ...(said.isBroken ? { error: "Error: order system: connection refused" } : {}),
  };
  const think: Step = {
    name: "compose answer",
    run_type: "llm",
    beginsMs: 460,
    takesMs: 1900,
    inputs: { messages: [{ role: "user", content: said.question }], documents: [said.document] },
    outputs: { role: "assistant", content: said.answer, usage_metadata: usageOf(said.model, 510, 38) },
    metadata: model,
  };
  return said.isBroken ? [search, lookUp] : [search, lookUp, think];
};
