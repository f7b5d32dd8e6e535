import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";

/**
 * Sends three traces of two runs each with the langsmith SDK, which finds the service in LANGSMITH_ENDPOINT,
 * LANGSMITH_API_KEY and LANGSMITH_PROJECT.
 */
const client = new Client();

const callModel = traceable(
  async (/** @type {string} */ question) => ({
    role: "assistant",
    content: `You asked: ${question}`,
    usage_metadata: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
  }),
  { name: "call model", run_type: "llm", client },
);

const answer = traceable((/** @type {string} */ question) => callModel(question), {
  name: "answer",
  run_type: "chain",
  client,
});

const questions = ["Where do traces go?", "Who keeps them?", "How are they read?"];
for (const question of questions) await answer(question);
await client.awaitPendingTraceBatches();
console.log(`Sent ${questions.length} traces to ${process.env.LANGSMITH_ENDPOINT}`);
