import { proxyDurable } from "itty-durable/proxy-durable.js";
import { uuidV5 } from "../../src/domain/shared/uuid.ts";
import type { DeploymentProtocol, FleetProtocol } from "./deployment.ts";
import type { DestinationProtocol } from "./destination.ts";
import type { Env } from "./env.ts";
import type { ExportProtocol } from "./export.ts";
import type { ExportRunProtocol } from "./export-run.ts";
import type { ListenerProtocol } from "./listener.ts";
import type { GrantProtocol, Holder, ProvidersProtocol } from "./oauth.ts";
import type { RateLimiterProtocol } from "./rate-limiter.ts";
import type { TraceShardProtocol } from "./shard.ts";
import { withPlainAnswers } from "./stub.ts";
import type { UnroutedProtocol } from "./unrouted.ts";
import type { WorkspaceProtocol } from "./workspace.ts";

/** All names of actors are made in this file. A name is the idempotency key: the same name reaches the same actor. */

export const workspace = (env: Env, tenantId: string): WorkspaceProtocol =>
  actor(env, env.WORKSPACE, `workspace/${tenantId}`);

export const destination = (env: Env, id: string): DestinationProtocol =>
  actor(env, env.DESTINATION, `destination/${id}`);

export const bulkExport = (env: Env, id: string): ExportProtocol => actor(env, env.EXPORT, `export/${id}`);

/** Ids derived from a customer's idempotency key: the same key of the same tenant reaches the same object. */
export const exportIdOf = (tenantId: string, key: string): string => uuidV5(tenantId, `export/${key}`);
export const destinationIdOf = (tenantId: string, key: string): string => uuidV5(tenantId, `destination/${key}`);

export const exportRun = (env: Env, exportId: string, ordinal: number): ExportRunProtocol =>
  actor(env, env.EXPORT_RUN, `export-run/${exportId}/${ordinal}`);

/** What identifies a trace shard; `shard` counts from 0. */
export interface ShardIdentity {
  readonly tenantId: string;
  readonly projectId: string;
  readonly day: string;
  readonly shard: number;
}

export const traceShardName = (identity: ShardIdentity): string => `${traceDayPrefix(identity)}${identity.shard}`;

export function shardIdentityOf(name: string | undefined): ShardIdentity {
  const [kind, tenantId, projectId, day, shard, ...rest] = name?.split("/") ?? [];
  if (kind !== "trace" || tenantId === undefined || projectId === undefined || day === undefined || rest.length > 0)
    throw new Error(`${name} is not the name of a trace shard`);
  return { tenantId, projectId, day, shard: Number(shard) };
}

/** Common prefix of the names of a day's shards, and of the keys of their segments. */
export const traceDayPrefix = ({ tenantId, projectId, day }: Omit<ShardIdentity, "shard">): string =>
  `trace/${tenantId}/${projectId}/${day}/`;

export const traceShard = (env: Env, identity: ShardIdentity): TraceShardProtocol =>
  actor(env, env.TRACE_SHARD, traceShardName(identity));

export const unrouted = (env: Env, tenantId: string): UnroutedProtocol =>
  actor(env, env.UNROUTED, `unrouted/${tenantId}`);

export const providers = (env: Env, tenantId: string): ProvidersProtocol =>
  actor(env, env.PROVIDERS, `providers/${tenantId}`);

/** `provider`: the id of its record, which is unique for ever. A user's id contains no slash. */
export const grant = (env: Env, { tenantId, userId }: Holder, provider: string): GrantProtocol =>
  actor(env, env.GRANT, `grant/${tenantId}/${userId}/${provider}`);

/** `keyHash`: SHA-256 of the API key. */
export const rateLimiter = (env: Env, keyHash: string): RateLimiterProtocol =>
  proxyDurable(homeOf(env, env.RATE_LIMITER), { parse: true }).get(`limit/${keyHash}`);
export const fleet = (env: Env, tenantId: string): FleetProtocol => actor(env, env.FLEET, `fleet/${tenantId}`);

/** The tenant is part of the name: the id of another tenant's deployment reaches an empty actor. */
export const deployment = (env: Env, tenantId: string, id: string): DeploymentProtocol =>
  actor(env, env.DEPLOYMENT, `deployment/${tenantId}/${id}`);

export const listener = (env: Env, tenantId: string, id: string): ListenerProtocol =>
  actor(env, env.LISTENER, `listener/${tenantId}/${id}`);

/** The same machine of the same tenant is one listener. */
export const listenerIdOf = (tenantId: string, computeId: string): string => uuidV5(tenantId, `listener/${computeId}`);

/**
 * A stub with the methods of the protocol. The cast is safe because the class bound in wrangler.toml declares that it
 * implements the protocol.
 */
function actor<Protocol>(env: Env, namespace: DurableObjectNamespace, name: string): Protocol {
  return withPlainAnswers(homeOf(env, namespace).getByName(name)) as Protocol;
}

function homeOf(env: Env, namespace: DurableObjectNamespace): DurableObjectNamespace {
  const jurisdiction = env.JURISDICTION;
  return jurisdiction === "eu" || jurisdiction === "fedramp" ? namespace.jurisdiction(jurisdiction) : namespace;
}
