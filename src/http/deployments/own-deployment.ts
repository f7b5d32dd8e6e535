import { deployment, fleet } from "../../../durable/protocol/actors.ts";
import type { DeploymentProtocol, FleetProtocol } from "../../../durable/protocol/deployment.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Caller } from "../kernel/auth.ts";

/** What a handler knows of its caller. */
export interface Asking {
  readonly who: Caller;
  readonly env: Env;
}

/** The caller's deployment with that id. With the id of another tenant it is an actor that holds nothing. */
export const ownDeployment = ({ who, env }: Asking, id: string): DeploymentProtocol =>
  deployment(env, who.identity.tenantId, id);

export const ownFleet = ({ who, env }: Asking): FleetProtocol => fleet(env, who.identity.tenantId);
