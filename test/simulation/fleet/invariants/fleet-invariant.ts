import type { ListenerWork } from "../../../../durable/protocol/listener.ts";
import type { ListenerReport } from "../../../../src/domain/deployment/lease.ts";
import type { DeploymentRecord } from "../../../../src/domain/deployment/records.ts";
import type { Invariant, Watch } from "../../invariants/invariant.ts";
import type { FleetWorld } from "../fleet-world.ts";

/** A sentence that must be true of every fleet at all times. */
export type FleetInvariant = Invariant<FleetWorld, FleetWatch>;

/** The moments of a fleet at which an invariant looks. */
export interface FleetWatch extends Watch {
  /** The owner was answered with the record of a deployment. */
  readonly onAnswered?: (record: DeploymentRecord) => void;
  /** The owner was told that a deployment does not exist, although it was created and not deleted. */
  readonly onMissing?: (deploymentId: string) => void;
  /** A process was given work. */
  readonly onWork?: (work: ListenerWork) => void;
  /** A process sends a report. */
  readonly onSaid?: (said: ListenerReport) => void;
  /** A report was answered. */
  readonly onHeard?: (heard: Heard) => void;
  /** A process stops a revision because of the answer to the poll that it sent at `askedAt`. */
  readonly onStopped?: (stopped: Stopped) => void;
  /** After the faults: what is not yet as it must become; null: all is. */
  readonly unsettled?: () => string | null;
}

export interface Heard {
  readonly said: ListenerReport;
  readonly sentAt: number;
  readonly isTaken: boolean;
}

export interface Stopped {
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly askedAt: number;
}
