import type { AgentBundle, AgentModule } from "../../../../src/agent/bundle.ts";
import { log } from "../../../../src/log.ts";
import type { Agent } from "../../../protocol/deployment.ts";
import { environmentOf, SECRETS_LOST } from "../agent-environment.ts";
import type { OwnExports, Place } from "../data-plane.ts";
import { readBundle } from "./agent-store.ts";

/** Agents are written for the platform of this date. A later date could change their behaviour. */
const COMPATIBILITY_DATE = "2026-11-01";

/** Limits of one request to an agent: the CPU time of a paid Worker, and subrequests for a conversation [LIM-38]. */
const AGENT_LIMITS = { cpuMs: 30_000, subRequests: 1000 } as const;

/** The properties that src/http/agent-network.ts needs of an agent. */
export interface AgentNetworkProps {
  readonly endpoint: string;
  readonly allowNetwork: boolean;
}

/**
 * Failed loads of each revision in this process. A loader caches its result by name, including a failure, so the next
 * attempt needs another name.
 */
const failedLoads = new Map<string, number>();

/** A revision, loaded on its first request; null: the platform cannot load Workers. */
export function agentWorker(place: Place, agent: Agent): Fetcher | null {
  const { env } = place;
  if (env.LOADER === undefined) return null;
  const { deploymentId, revisionId } = agent;
  const revision = `${deploymentId}/${revisionId}`;
  const failures = failedLoads.get(revision) ?? 0;
  const loaded = env.LOADER.get(failures === 0 ? revision : `${revision}/${failures}`, async () => {
    try {
      return await load(place, agent);
    } catch (error) {
      failedLoads.set(revision, failures + 1);
      log("agent_not_loaded", { deployment: deploymentId, revision: revisionId, error: String(error) });
      throw error;
    }
  });
  return loaded.getEntrypoint();
}

export const EDGE_MISSING =
  "This installation cannot load Workers: bind a Worker Loader as LOADER (worker_loaders in wrangler.toml), or use a listener.";

async function load({ env, exports }: Place, agent: Agent): Promise<WorkerLoaderWorkerCode> {
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

/** The entrypoint of src/index.ts that handles every request of an agent. */
function network(exports: OwnExports, props: AgentNetworkProps): Fetcher {
  // The platform derives this function from the exported class; its types do not contain it.
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
