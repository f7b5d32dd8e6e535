import type { ApiAccess } from "../api.ts";
import { readConfig, stateDirectory } from "../config.ts";
import { DevFailure, TransientFailure } from "../failure.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { readOptions } from "./options.ts";
import { findListener, type Poll, poll, type Report, report, type Work } from "./protocol.ts";

/**
 * The reference listener. It implements the complete protocol of listeners, with processes instead of a cluster. Its
 * processes end with it; after a restart, a redeploy assigns each revision again.
 */

const HEALTHY_WITHIN_MS = 10_000;
/** Interval after a poll without an answer. */
const RETRY_SECONDS = 5;

export const listen = async (args: readonly string[]): Promise<void> => {
  const { directory, computeId, pollMs } = readOptions(args);
  const api = access();
  const listenerId = await findListener(api, computeId);
  console.log(`Listener ${listenerId} runs the agents in ${directory}`);

  const running = new Map<string, AgentProcess>();
  let isOver = false;
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => (isOver = true));
  try {
    while (!isOver) {
      const polled = await pollOrNothing(api, listenerId);
      if (polled !== null) await carryOut(polled);
      const pauseMs = pollMs ?? (polled?.poll_after_seconds ?? RETRY_SECONDS) * 1000;
      for (const until = Date.now() + pauseMs; !isOver && Date.now() < until; )
        await new Promise((resume) => setTimeout(resume, Math.min(100, pauseMs)));
    }
  } finally {
    for (const agent of running.values()) agent.stop();
  }

  async function carryOut({ work, serving }: Poll): Promise<void> {
    const send = (one: Work, status: Report) => report(api, listenerId, one, status, () => !isOver);
    // Concurrently, so that the lease of one does not expire while another starts.
    for (const agent of await Promise.all(work.map((one) => deploy(directory, one, send))))
      if (agent !== null) running.set(agent.revisionId, agent);
    // Revisions that were just started are not in `serving` yet.
    const wanted = new Set([...serving, ...work].map((one) => one.revision_id));
    for (const [id, agent] of running) {
      if (wanted.has(id)) continue;
      agent.stop();
      running.delete(id);
      console.log(`${id}  stopped`);
    }
  }
};

/** Polls the service. null: it cannot be reached or is busy; running agents continue. */
const pollOrNothing = async (api: ApiAccess, listenerId: string): Promise<Poll | null> => {
  try {
    return await poll(api, listenerId);
  } catch (failure) {
    if (!(failure instanceof TransientFailure)) throw failure;
    console.log(`The service cannot be reached; running agents continue. ${failure.message}`);
    return null;
  }
};

/** Starts one revision and reports the result; null: it is not running. */
const deploy = async (
  directory: string,
  work: Work,
  send: (work: Work, status: Report) => Promise<boolean>,
): Promise<AgentProcess | null> => {
  console.log(`${work.revision_id}  ${work.status} ${work.name}`);
  // No build is needed: the folder holds a ready agent.
  if (work.status === "BUILDING" && !(await send(work, { status: "DEPLOYING" }))) return null;
  const agent = await startAgent(directory, work);
  const failure = typeof agent === "string" ? agent : await agent.untilHealthy(HEALTHY_WITHIN_MS);
  if (failure === null && typeof agent !== "string") {
    const isAccepted = await send(work, { status: "DEPLOYED", url: agent.url });
    console.log(`${work.revision_id}  ${isAccepted ? `DEPLOYED at ${agent.url}` : "lease lost"}`);
    if (isAccepted) return agent;
  } else {
    await send(work, { status: "DEPLOY_FAILED", reason: failure ?? "It did not start." });
    console.log(`${work.revision_id}  DEPLOY_FAILED: ${failure}`);
  }
  if (typeof agent !== "string") agent.stop();
  return null;
};

/** Access from the environment, or to the service that `npm run dev` runs on this machine. */
const access = (): ApiAccess => {
  const { WAYBILL_URL: url, WAYBILL_API_KEY: api_key, WAYBILL_WORKSPACE_ID: workspace_id } = process.env;
  if (url !== undefined && api_key !== undefined && workspace_id !== undefined) return { url, api_key, workspace_id };
  const local = readConfig(stateDirectory());
  if (local !== null) return local;
  throw new DevFailure("Set WAYBILL_URL, WAYBILL_API_KEY and WAYBILL_WORKSPACE_ID, or start npm run dev first.");
};
