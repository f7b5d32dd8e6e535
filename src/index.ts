import { answer } from "./http/app.ts";

export { DestinationActor } from "../durable/destination.ts";
export { ExportActor } from "../durable/export.ts";
export { GrantActor } from "../durable/grant.ts";
export { ProvidersActor } from "../durable/providers.ts";
export { RateLimiter } from "../durable/rate-limiter.ts";
export { RunActor } from "../durable/run.ts";
export { StraysActor } from "../durable/strays.ts";
export { TraceShardActor } from "../durable/trace-shard.ts";
export { WorkspaceActor } from "../durable/workspace.ts";

/** The Worker: HTTP in front, the actors behind it. */
export default { fetch: answer };
