import type { Decision } from "../shared/decider.ts";
import type { PlaneRequest } from "./commands.ts";
import type { DeploymentEvent } from "./events.ts";
import type { DeploymentDefinition, RevisionFailure } from "./records.ts";
import type { ActiveDeployment, Revision } from "./state.ts";

/**
 * The rules that differ by data plane: who works on a revision, what interrupts that work, and where the result is
 * served.
 */
export interface DataPlane {
  /** Begins our step on the next revision; no events if the work begins with a lease. */
  begin(revision: Revision, at: number): readonly DeploymentEvent[];
  /** Why work on the revision was interrupted by the time `at`; null: it was not. */
  interruption(revision: Revision, at: number): RevisionFailure | null;
  /** Decides the results of work, by steps or by leases. */
  decide(request: PlaneRequest, state: ActiveDeployment, at: number): Decision<DeploymentEvent>;
  /** Address of the active revision; null: unknown. */
  urlOf(definition: DeploymentDefinition, active: Revision): string | null;
  /** Id of the listener that must be registered before the deployment; null: none. */
  listenerOf(definition: DeploymentDefinition): string | null;
}
