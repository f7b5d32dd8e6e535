import { WorkerEntrypoint } from "cloudflare:workers";
import type { AgentNetworkProps } from "../../durable/deployment/data-plane/edge/load-agent.ts";
import type { Env } from "../../durable/protocol/env.ts";
import { answer, isForAgent } from "./app.ts";
import { problemResponse } from "./kernel/problems.ts";

/** Answers to requests that an agent may not send. */
const NO_NETWORK = "This deployment has no outbound network; set source_config.allow_outbound_network.";
const NO_LOOP = "An agent does not call deployments through this service.";

/**
 * The network of an agent at the edge: this service, to which it sends its traces, and the internet only when its
 * deployment allows it. A request to this service does not leave the Worker.
 */
export class AgentNetwork extends WorkerEntrypoint<Env, AgentNetworkProps> {
  override async fetch(request: Request): Promise<Response> {
    const { endpoint, allowNetwork } = this.ctx.props;
    if (new URL(request.url).origin === endpoint) {
      // An agent that calls itself would never stop.
      if (isForAgent(request)) return forbidden(NO_LOOP);
      return answer(request, this.env, this.ctx);
    }
    if (!allowNetwork) return forbidden(NO_NETWORK);
    return fetch(request);
  }
}

const forbidden = (message: string): Response => problemResponse({ reason: "forbidden", message }, "detail");
