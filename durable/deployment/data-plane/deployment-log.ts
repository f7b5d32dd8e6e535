import type { DeploymentRequest } from "../../../src/domain/deployment/commands.ts";
import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import type { DeploymentState } from "../../../src/domain/deployment/state.ts";
import type { Decision } from "../../../src/domain/shared/decider.ts";
import type { Env } from "../../protocol/env.ts";

/** The log of a deployment, as other modules may read and extend it. */
export interface DeploymentLog {
  readonly env: Env;
  readonly state: () => DeploymentState;
  readonly submit: (request: DeploymentRequest) => Decision<DeploymentEvent>;
}
