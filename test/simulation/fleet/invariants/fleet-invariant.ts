import type { ListenerWork } from "../../../../durable/protocol/listener.ts";
import type { ListenerReport } from "../../../../src/domain/deployment/lease.ts";
import type { DeploymentRecord } from "../../../../src/domain/deployment/records.ts";
import type { Invariant, Watch } from "../../invariants/invariant.ts";
import type { FleetWorld } from "../fleet-world.ts";

/** A statement that must hold at all times in all worlds of fleets. */
export type FleetInvariant = Invariant<FleetWorld, FleetWatch>;

/** Callbacks for the moments at which an invariant of a fleet is checked. */
export interface FleetWatch extends Watch {
  /** The owner received the record of a deployment. */
  readonly onAnswered?: (record: DeploymentRecord) => void;
  /** The owner received the answer that a deployment does not exist, although it was created and not deleted. */
  readonly onMissing?: (deploymentId: string) => void;
  /** A process received work. */
  readonly onWork?: (work: ListenerWork) => void;
  /** A process sends a report. */
  readonly onReport?: (report: ListenerReport) => void;
  /** A report was answered. */
  readonly onReportAnswered?: (answered: AnsweredReport) => void;
  /** A process stops a revision because of the answer to the poll at `polledAt`. */
  readonly onStopped?: (stopped: Stopped) => void;
  /** After the faults: a condition that does not hold yet; null: all hold. */
  readonly unsettled?: () => string | null;
}

export interface AnsweredReport {
  readonly report: ListenerReport;
  readonly sentAt: number;
  readonly isAccepted: boolean;
}

export interface Stopped {
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly polledAt: number;
}
