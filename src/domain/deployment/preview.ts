import type { Refusal } from "../shared/failures.ts";
import type { Result } from "../shared/result.ts";
import { createdBy } from "./decide.ts";
import type { DeploymentOrder } from "./order.ts";
import type { DeploymentRecord } from "./records.ts";
import { type DeploymentState, evolve, initialDeploymentState } from "./state.ts";
import { viewOf } from "./view.ts";

/** The record of a deployment that is registered and not created yet. */
export const previewOf = (order: DeploymentOrder, at: number): Result<DeploymentRecord, Refusal> =>
  viewOf(createdBy(order, at).reduce<DeploymentState>(evolve, initialDeploymentState), order.definition.id);
