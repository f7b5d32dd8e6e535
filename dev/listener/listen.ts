import type { ApiAccess } from "../api.ts";
import { readConfig, stateDirectory } from "../config.ts";
import { DevFailure, PassingFailure } from "../failure.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { readOptions } from "./options.ts";
import { findListener, type Poll, poll, type Report, report, type Work } from "./protocol.ts";

/**
 * The reference listener: the whole protocol of the remote data plane with processes instead of a cluster. What it runs
 * ends with it; a listener that restarts gets each revision again by a redeploy.
 */

const HEALTHY_WITHIN_MS = 10_000;
/** After a poll that was answered by nobody. */
const POLL_AGAIN_SECONDS = 5;

export const listen = async (args: readonly string[]): Promise<void> => {
  const { directory, computeId, pollMs } = readOptions(args);
  const api = access();
  const listenerId = await findListener(api, computeId);
  console.log(`Listener ${listenerId} runs what lies in ${directory}`);

  const running = new Map<string, AgentProcess>();
  let isOver = false;
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => (isOver = true));
  try {
    while (!isOver) {
      const polled = await pollOrNothing(api, listenerId);
      if (polled !== null) await carryOut(polled);
      const pauseMs = pollMs ?? (polled?.poll_after_seconds ?? POLL_AGAIN_SECONDS) * 1000;
      for (const until = Date.now() + pauseMs; !isOver && Date.now() < until; )
        await new Promise((resume) => setTimeout(resume, Math.min(100, pauseMs)));
    }
  } finally {
    for (const agent of running.values()) agent.stop();
  }

  async function carryOut({ work, serving }: Poll): Promise<void> {
    const say = (one: Work, said: Report) => report(api, listenerId, one, said, () => !isOver);
    // Side by side: the lease of one does not run out while another starts.
    for (const agent of await Promise.all(work.map((one) => bring(directory, one, say))))
      if (agent !== null) running.set(agent.revisionId, agent);
    // What was just brought up is not in the list yet; it replaces what is.
    const wanted = new Set([...serving, ...work].map((one) => one.revision_id));
    for (const [id, agent] of running) {
      if (wanted.has(id)) continue;
      agent.stop();
      running.delete(id);
      console.log(`${id}  stopped`);
    }
  }
};

/** null: the service is out of reach or busy, and what runs goes on. */
const pollOrNothing = async (api: ApiAccess, listenerId: string): Promise<Poll | null> => {
  try {
    return await poll(api, listenerId);
  } catch (failure) {
    if (!(failure instanceof PassingFailure)) throw failure;
    console.log(`The service is out of reach; what runs goes on. ${failure.message}`);
    return null;
  }
};

/** Runs one revision and says how it went; null: it does not run. */
const bring = async (
  directory: string,
  work: Work,
  say: (work: Work, said: Report) => Promise<boolean>,
): Promise<AgentProcess | null> => {
  console.log(`${work.revision_id}  ${work.status} ${work.name}`);
  // There is nothing to build: the folder holds the agent as it is.
  if (work.status === "BUILDING" && !(await say(work, { status: "DEPLOYING" }))) return null;
  const agent = await startAgent(directory, work);
  const failure = typeof agent === "string" ? agent : await agent.untilHealthy(HEALTHY_WITHIN_MS);
  if (failure === null && typeof agent !== "string") {
    const isTaken = await say(work, { status: "DEPLOYED", url: agent.url });
    console.log(`${work.revision_id}  ${isTaken ? `DEPLOYED at ${agent.url}` : "lease lost"}`);
    if (isTaken) return agent;
  } else {
    await say(work, { status: "DEPLOY_FAILED", reason: failure ?? "It did not start." });
    console.log(`${work.revision_id}  DEPLOY_FAILED: ${failure}`);
  }
  if (typeof agent !== "string") agent.stop();
  return null;
};

/** From the environment, or from a service that `npm run dev` runs on this machine. */
const access = (): ApiAccess => {
  const { WAYBILL_URL: url, WAYBILL_API_KEY: api_key, WAYBILL_WORKSPACE_ID: workspace_id } = process.env;
  if (url !== undefined && api_key !== undefined && workspace_id !== undefined) return { url, api_key, workspace_id };
  const local = readConfig(stateDirectory());
  if (local !== null) return local;
  throw new DevFailure("Set WAYBILL_URL, WAYBILL_API_KEY and WAYBILL_WORKSPACE_ID, or start npm run dev first.");
};
