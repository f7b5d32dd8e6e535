import type { AgentBundle, AgentModule } from "../../src/agent/bundle.ts";
import { HEALTH_WITHIN_MS } from "../../src/domain/deployment/limits.ts";
import { MAX_MESSAGE_CHARACTERS, type RevisionFailure } from "../../src/domain/deployment/records.ts";
import { log } from "../../src/log.ts";
import { boundedBody } from "../../src/net/bounded-body.ts";
import { Deadline } from "../../src/net/deadline.ts";
import type { Agent } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";
import { environmentOf, SECRETS_LOST } from "./agent-environment.ts";
import { readBundle } from "./agent-store.ts";

/** The edge data plane: each revision is a Worker in an isolate of its own. */

/** Agents are written for the platform of this day; a later one could change what they mean. */
const COMPATIBILITY_DATE = "2026-11-01";

/** For one request to an agent: what a paid Worker gets by default, and subrequests for a conversation [LIM-38]. */
const AGENT_LIMITS = { cpuMs: 30_000, subRequests: 1000 } as const;

const LOOK_AGAIN_MS = 250;

/** Longest part of an answer that the reason of a failure repeats. */
const QUOTED_BYTES = 1000;

/** What the network of an agent is told about it; see src/http/agent-network.ts. */
export interface AgentNetworkProps {
  readonly endpoint: string;
  readonly allowNetwork: boolean;
}

/** The Worker's own entrypoints, `ctx.exports`. */
export type OwnExports = Cloudflare.Exports;

/**
 * How often revisions could not be read here, by their names. A loader keeps what it was given under a name, a failure
 * too, so that the next request has to name the revision otherwise.
 */
const failedLoads = new Map<string, number>();

/** A revision, loaded when it is first asked; null where the platform cannot load Workers. */
export function agentWorker(env: Env, exports: OwnExports, agent: Agent): Fetcher | null {
  if (env.LOADER === undefined) return null;
  const { deploymentId, revisionId } = agent;
  const revision = `${deploymentId}/${revisionId}`;
  const failures = failedLoads.get(revision) ?? 0;
  const loaded = env.LOADER.get(failures === 0 ? revision : `${revision}/${failures}`, async () => {
    try {
      return await load(env, exports, agent);
    } catch (error) {
      failedLoads.set(revision, failures + 1);
      log("agent_not_loaded", { deployment: deploymentId, revision: revisionId, error: String(error) });
      throw error;
    }
  });
  return loaded.getEntrypoint();
}

/** Why the revision does not answer `GET /ok` with 200 in time; null when it does. */
export async function healthFailure(env: Env, exports: OwnExports, agent: Agent): Promise<RevisionFailure | null> {
  const worker = agentWorker(env, exports, agent);
  if (worker === null) return { reason: "edge_missing", message: EDGE_MISSING };
  const giveUpAt = Date.now() + HEALTH_WITHIN_MS;
  for (;;) {
    const answer = await askHealth(worker, Math.max(1, giveUpAt - Date.now()));
    if (answer.isHealthy) return null;
    if (answer.isFinal || Date.now() + LOOK_AGAIN_MS >= giveUpAt)
      return { reason: "not_healthy", message: answer.message.slice(0, MAX_MESSAGE_CHARACTERS) };
    await new Promise((resume) => setTimeout(resume, LOOK_AGAIN_MS));
  }
}

export const EDGE_MISSING =
  "This installation cannot load Workers: bind a Worker Loader as LOADER (worker_loaders in wrangler.toml), or use a listener.";

type Health =
  | { readonly isHealthy: true }
  | { readonly isHealthy: false; readonly isFinal: boolean; readonly message: string };

/** One that answers otherwise may still be getting ready; one that throws, or does not start, will not mend. */
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
    deadline.lift();
  }
}

async function quoted(answer: Response): Promise<string> {
  const bytes = await boundedBody(answer, QUOTED_BYTES);
  return bytes === null ? `more than ${QUOTED_BYTES} bytes` : new TextDecoder().decode(bytes);
}

async function load(env: Env, exports: OwnExports, agent: Agent): Promise<WorkerLoaderWorkerCode> {
  const bundle = await readBundle(env, agent.bundleKey);
  if (bundle === null) throw new Error("the bundle of the revision is gone");
  const environment = await environmentOf(env, agent);
  if (environment === null) throw new Error(SECRETS_LOST.message);
  const { endpoint, allowNetwork } = agent;
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_compat"],
    mainModule: bundle.mainModule,
    modules: modulesOf(bundle),
    env: environment,
    globalOutbound: network(exports, { endpoint, allowNetwork }),
    limits: AGENT_LIMITS,
  };
}

/** The entrypoint of src/index.ts through which everything goes that an agent sends. */
function network(exports: OwnExports, props: AgentNetworkProps): Fetcher {
  // The platform makes this function of the exported class; its types know only those generated for a project.
  const { AgentNetwork } = exports as unknown as {
    readonly AgentNetwork: (options: { readonly props: AgentNetworkProps }) => Fetcher;
  };
  return AgentNetwork({ props });
}

const modulesOf = (bundle: AgentBundle): WorkerLoaderWorkerCode["modules"] =>
  Object.fromEntries(Object.entries(bundle.modules).map(([path, module]) => [path, loadable(module)]));

const loadable = ({ kind, content }: AgentModule): WorkerLoaderModule => {
  switch (kind) {
    case "js":
      return { js: content };
    case "cjs":
      return { cjs: content };
    case "json":
      return { json: JSON.parse(content) };
    case "text":
      return { text: content };
    case "wasm":
      return { wasm: Uint8Array.from(Buffer.from(content, "base64")).buffer };
  }
};
