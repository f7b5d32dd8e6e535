import { Client } from "langsmith";
import { conversation, type Trace } from "./conversations.ts";
import { answerLive } from "./live.ts";
import { replay } from "./replay.ts";

/** Numbers of the sent traces, counted by the sender. */
export interface Sent {
  readonly runs: number;
  readonly traces: number;
  readonly feedback: number;
}

interface SentTrace {
  readonly trace: Trace;
  readonly score: number | null;
}

const LIVE_CONVERSATIONS = 40;

/**
 * Sends traces with the langsmith SDK, which reads LANGSMITH_ENDPOINT, LANGSMITH_API_KEY and LANGSMITH_PROJECT: current
 * ones with `traceable`, and one run tree with explicit times for each start time in `earlier`.
 */
export const sendTraces = async (project: string, earlier: readonly number[]): Promise<Sent> => {
  const client = new Client();
  const traces: SentTrace[] = [];
  for (let n = 0; n < LIVE_CONVERSATIONS; n++) {
    const live = conversation(n);
    traces.push({ trace: await answerLive(live, client), score: live.score });
  }
  for (const [n, startTime] of earlier.entries()) {
    const past = conversation(n + 1);
    traces.push({ trace: await replay(past, client, startTime), score: past.score });
  }
  await client.awaitPendingTraceBatches();
  const feedback = await sendFeedback(client, project, traces);
  return { runs: traces.reduce((sum, { trace }) => sum + trace.runs, 0), traces: traces.length, feedback };
};

const sendFeedback = async (client: Client, project: string, traces: readonly SentTrace[]): Promise<number> => {
  const { id: sessionId } = await client.readProject({ projectName: project });
  const scored = traces.filter(({ score }) => score !== null);
  await Promise.all(
    scored.map(({ trace, score }) =>
      client.createFeedback({ runId: trace.rootId, sessionId, key: "customer_score", score }),
    ),
  );
  return scored.length;
};
