import type { Env } from "./env.ts";
import type { DestinationProtocol, ExportProtocol, RunProtocol, WorkspaceProtocol } from "./protocol.ts";
import type { StraysProtocol, TraceShardProtocol } from "./trace-protocol.ts";

/** The only place that makes names of actors. A name is the idempotency key: the same name reaches the same actor. */

export const workspace = (env: Env, tenantId: string): WorkspaceProtocol =>
  actor(env, env.WORKSPACE, `workspace/${tenantId}`);

export const destination = (env: Env, id: string): DestinationProtocol =>
  actor(env, env.DESTINATION, `destination/${id}`);

export const bulkExport = (env: Env, id: string): ExportProtocol => actor(env, env.EXPORT, `export/${id}`);

export const run = (env: Env, exportId: string, ordinal: number): RunProtocol =>
  actor(env, env.RUN, `run/${exportId}/${ordinal}`);

/** What identifies a trace shard; `shard` counts from 0. */
export interface ShardIdentity {
  readonly tenantId: string;
  readonly projectId: string;
  readonly day: string;
  readonly shard: number;
}

export const traceShardName = ({ tenantId, projectId, day, shard }: ShardIdentity): string =>
  `trace/${tenantId}/${projectId}/${day}/${shard}`;

export const traceShard = (env: Env, identity: ShardIdentity): TraceShardProtocol =>
  actor(env, env.TRACE_SHARD, traceShardName(identity));

export const strays = (env: Env, tenantId: string): StraysProtocol => actor(env, env.STRAYS, `strays/${tenantId}`);

/**
 * A stub that speaks the protocol. The cast is safe as long as the class bound in wrangler.toml implements it, which
 * each class states with `implements`.
 */
function actor<Protocol>(env: Env, namespace: DurableObjectNamespace, name: string): Protocol {
  const jurisdiction = env.JURISDICTION;
  const home = jurisdiction === "eu" || jurisdiction === "fedramp" ? namespace.jurisdiction(jurisdiction) : namespace;
  return home.getByName(name) as unknown as Protocol;
}
