import { WorkerEntrypoint } from "cloudflare:workers";
import type { AgentNetworkProps } from "../../durable/deployment/data-plane/edge/load-agent.ts";
import type { Env } from "../../durable/protocol/env.ts";
import { answer, isForAgent } from "./app.ts";
import { problemResponse } from "./kernel/problems.ts";

const NETWORK_DISABLED = "This deployment has no outbound network; set source_config.allow_outbound_network.";
const LOOP_REFUSED = "An agent must not call deployments through this service.";

/**
 * The network of an agent at the edge. The agent reaches this service, to which it sends its traces, without going
 * through the internet. It reaches other addresses only if its deployment allows outbound network.
 */
export class AgentNetwork extends WorkerEntrypoint<Env, AgentNetworkProps> {
  override async fetch(request: Request): Promise<Response> {
    const { endpoint, allowNetwork } = this.ctx.props;
    if (new URL(request.url).origin === endpoint) {
      // An agent that calls itself could loop without end.
      if (isForAgent(request)) return forbidden(LOOP_REFUSED);
      return answer(request, this.env, this.ctx);
    }
    if (!allowNetwork) return forbidden(NETWORK_DISABLED);
    return fetch(request);
  }
}

const forbidden = (message: string): Response => problemResponse({ reason: "forbidden", message }, "detail");
