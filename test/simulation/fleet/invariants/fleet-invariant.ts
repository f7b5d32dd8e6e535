import type { ListenerWork } from "../../../../durable/protocol/listener.ts";
import type { ListenerReport } from "../../../../src/domain/deployment/lease.ts";
import type { DeploymentRecord } from "../../../../src/domain/deployment/records.ts";
import type { Invariant, Watch } from "../../invariants/invariant.ts";
import type { FleetWorld } from "../fleet-world.ts";

/** A sentence that must be true of every fleet at every moment. */
export type FleetInvariant = Invariant<FleetWorld, FleetWatch>;

/** The moments of a fleet at which an invariant looks. */
export interface FleetWatch extends Watch {
  /** The owner was answered with a deployment as it is. */
  readonly onAnswered?: (record: DeploymentRecord) => void;
  /** The owner was told that a deployment is not there, whose creation was answered and whose deletion was not asked. */
  readonly onMissing?: (deploymentId: string) => void;
  /** A process was given work. */
  readonly onWork?: (work: ListenerWork) => void;
  /** A process sends a report. */
  readonly onSaid?: (said: ListenerReport) => void;
  /** It was answered. */
  readonly onHeard?: (heard: Heard) => void;
  /** A process stops what runs, because a poll that was sent at `askedAt` says so. */
  readonly onStopped?: (stopped: Stopped) => void;
  /** Once nothing goes wrong any more: what is not yet as it must become; null: nothing. */
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
