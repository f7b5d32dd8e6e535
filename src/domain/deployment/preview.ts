import type { Refusal } from "../shared/failures.ts";
import type { Result } from "../shared/result.ts";
import { createdBy } from "./decide.ts";
import type { DeploymentOrder } from "./order.ts";
import type { DeploymentRecord } from "./records.ts";
import { type DeploymentState, evolve, initialDeploymentState } from "./state.ts";
import { viewOf } from "./view.ts";

/** What an order shows as soon as its deployment is created: what is registered will be. */
export const previewOf = (order: DeploymentOrder, at: number): Result<DeploymentRecord, Refusal> =>
  viewOf(createdBy(order, at).reduce<DeploymentState>(evolve, initialDeploymentState), order.definition.id);
