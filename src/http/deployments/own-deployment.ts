import { deployment, fleet } from "../../../durable/protocol/actors.ts";
import type { DeploymentProtocol, FleetProtocol } from "../../../durable/protocol/deployment.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Caller } from "../kernel/auth.ts";

/** The caller, and the bindings of the Worker. */
export interface Asking {
  readonly caller: Caller;
  readonly env: Env;
}

/** The caller's deployment with this id. For an id of another tenant it is an empty actor. */
export const ownDeployment = ({ caller, env }: Asking, id: string): DeploymentProtocol =>
  deployment(env, caller.identity.tenantId, id);

export const ownFleet = ({ caller, env }: Asking): FleetProtocol => fleet(env, caller.identity.tenantId);
