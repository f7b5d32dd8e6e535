import { answer } from "./http/app.ts";

export { DeploymentActor } from "../durable/deployment.ts";
export { DestinationActor } from "../durable/destination.ts";
export { ExportActor } from "../durable/export.ts";
export { FleetActor } from "../durable/fleet.ts";
export { GrantActor } from "../durable/grant.ts";
export { ListenerActor } from "../durable/listener.ts";
export { ProvidersActor } from "../durable/providers.ts";
export { RateLimiter } from "../durable/rate-limiter.ts";
export { RunActor } from "../durable/run.ts";
export { StraysActor } from "../durable/strays.ts";
export { TraceShardActor } from "../durable/trace-shard.ts";
export { WorkspaceActor } from "../durable/workspace.ts";
export { AgentNetwork } from "./agent-network.ts";

/** The Worker: HTTP in front, the actors behind it, and the network of the agents that it runs. */
export default { fetch: answer };
