import { HEALTH_WITHIN_MS } from "../../../../src/domain/deployment/limits.ts";
import { MAX_MESSAGE_CHARACTERS, type RevisionFailure } from "../../../../src/domain/deployment/records.ts";
import { boundedBody } from "../../../../src/net/bounded-body.ts";
import { Deadline } from "../../../../src/net/deadline.ts";
import type { Agent } from "../../../protocol/deployment.ts";
import type { Place } from "../data-plane.ts";
import { agentWorker, EDGE_MISSING } from "./load-agent.ts";

/** Interval of health checks. */
const ASK_AGAIN_MS = 250;

/** Longest part of an answer that the message of a failure quotes. */
const QUOTED_BYTES = 1000;

/** Why the revision does not answer `GET /ok` with 200 in time; null when it does. */
export async function healthFailure(place: Place, agent: Agent): Promise<RevisionFailure | null> {
  const worker = agentWorker(place, agent);
  if (worker === null) return { reason: "edge_missing", message: EDGE_MISSING };
  const giveUpAt = Date.now() + HEALTH_WITHIN_MS;
  for (;;) {
    const answer = await askHealth(worker, Math.max(1, giveUpAt - Date.now()));
    if (answer.isHealthy) return null;
    if (answer.isFinal || Date.now() + ASK_AGAIN_MS >= giveUpAt)
      return { reason: "not_healthy", message: answer.message.slice(0, MAX_MESSAGE_CHARACTERS) };
    await new Promise((resume) => setTimeout(resume, ASK_AGAIN_MS));
  }
}

type Health =
  | { readonly isHealthy: true }
  | { readonly isHealthy: false; readonly isFinal: boolean; readonly message: string };

/** An agent with another status may still be starting. One that throws or does not start will not recover. */
async function askHealth(worker: Fetcher, withinMs: number): Promise<Health> {
  const deadline = new Deadline(withinMs);
  try {
    const answer = await worker.fetch("https://agent/ok", { signal: deadline.signal });
    if (answer.status === 200) {
      await answer.body?.cancel();
      return { isHealthy: true };
    }
    const start = await quoted(answer);
    return { isHealthy: false, isFinal: false, message: `GET /ok answered ${answer.status}: ${start}` };
  } catch (error) {
    const text = deadline.hasPassed ? `no answer within ${HEALTH_WITHIN_MS / 1000} s` : String(error);
    return { isHealthy: false, isFinal: true, message: `GET /ok failed: ${text}` };
  } finally {
    deadline.clear();
  }
}

async function quoted(answer: Response): Promise<string> {
  const bytes = await boundedBody(answer, QUOTED_BYTES);
  return bytes === null ? `more than ${QUOTED_BYTES} bytes` : new TextDecoder().decode(bytes);
}
