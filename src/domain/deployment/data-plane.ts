import type { Decision } from "../shared/decider.ts";
import type { PlaneRequest } from "./commands.ts";
import type { DeploymentEvent } from "./events.ts";
import type { DeploymentDefinition, RevisionFailure } from "./records.ts";
import type { ActiveDeployment, Revision } from "./state.ts";

/**
 * Where the revisions of a deployment run, as far as the rules differ: who works on a revision, what cuts that work
 * off, and where the result is served.
 */
export interface DataPlane {
  /** Begins a step of ours on the revision whose turn it is; nothing where work begins with a lease. */
  begin(revision: Revision, at: number): readonly DeploymentEvent[];
  /** Why work on the revision was cut off by the time `at`; null: it goes on. */
  interruption(revision: Revision, at: number): RevisionFailure | null;
  /** The plane's answer to what comes of work, by steps or by leases. */
  decide(request: PlaneRequest, state: ActiveDeployment, at: number): Decision<DeploymentEvent>;
  /** Where the active revision is served; null: nowhere that we know. */
  urlOf(definition: DeploymentDefinition, active: Revision): string | null;
  /** Id of the listener that must be registered before the deployment; null: it needs none. */
  listenerOf(definition: DeploymentDefinition): string | null;
}
