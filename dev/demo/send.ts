import { Client } from "langsmith";
import { type Conversation, conversation, type Trace } from "./conversations.ts";
import { answerLive } from "./live.ts";
import { replay } from "./replay.ts";

/** What was sent, counted on the sender's side. */
export interface Sent {
  readonly runs: number;
  readonly traces: number;
  readonly feedback: number;
}

const LIVE_CONVERSATIONS = 40;

/**
 * Sends traces with the langsmith SDK, which finds the service in LANGSMITH_ENDPOINT, LANGSMITH_API_KEY and
 * LANGSMITH_PROJECT as in any program: those of now through `traceable`, those that began `earlier` as run trees with
 * times.
 */
export const sendTraces = async (project: string, earlier: readonly number[]): Promise<Sent> => {
  const client = new Client();
  const traces: { readonly trace: Trace; readonly said: Conversation }[] = [];
  for (let n = 0; n < LIVE_CONVERSATIONS; n++) {
    const said = conversation(n);
    traces.push({ trace: await answerLive(said, client), said });
  }
  for (const [n, startTime] of earlier.entries()) {
    const said = conversation(n + 1);
    traces.push({ trace: await replay(said, client, startTime), said });
  }
  await client.awaitPendingTraceBatches();
  const feedback = await sendFeedback(client, project, traces);
  return { runs: traces.reduce((sum, { trace }) => sum + trace.runs, 0), traces: traces.length, feedback };
};

const sendFeedback = async (
  client: Client,
  project: string,
  traces: readonly { readonly trace: Trace; readonly said: Conversation }[],
): Promise<number> => {
  const { id: sessionId } = await client.readProject({ projectName: project });
  const scored = traces.filter(({ said }) => said.score !== null);
  await Promise.all(
    scored.map(({ trace, said }) =>
      client.createFeedback({ runId: trace.rootId, sessionId, key: "customer_score", score: said.score }),
    ),
  );
  return scored.length;
};
