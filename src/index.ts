import { answer } from "./http/app.ts";

export { ListenerActor } from "../durable/deployment/data-plane/remote/listener.ts";
export { DeploymentActor } from "../durable/deployment/deployment.ts";
export { FleetActor } from "../durable/deployment/fleet.ts";
export { DestinationActor } from "../durable/destination/destination.ts";
export { ExportActor } from "../durable/export/export.ts";
export { ExportRunActor } from "../durable/export-run/export-run.ts";
export { GrantActor } from "../durable/oauth/grant.ts";
export { ProvidersActor } from "../durable/oauth/providers.ts";
export { TraceShardActor } from "../durable/shard/shard.ts";
export { UnroutedActor } from "../durable/unrouted/unrouted.ts";
export { RateLimiter } from "../durable/workspace/rate-limiter.ts";
export { WorkspaceActor } from "../durable/workspace/workspace.ts";
export { AgentNetwork } from "./http/agent-network.ts";

/** The Worker: the HTTP interface, the actors, and the network of agents. */
export default { fetch: answer };
