/** Messages between a listener and a deployment: leases, reports and polls. */

/** The right of one listener to work on a revision, until an instant. */
export interface Lease {
  readonly id: string;
  readonly listenerId: string;
  readonly until: number;
}

/** The statuses that a listener may report for a revision that it has leased. */
export type ReportedStatus = "BUILDING" | "DEPLOYING" | "DEPLOYED" | "BUILD_FAILED" | "DEPLOY_FAILED";

export interface ListenerReport {
  readonly revisionId: string;
  readonly leaseId: string;
  readonly status: ReportedStatus;
  /** Why it failed. */
  readonly reason: string | null;
  /** Where it is served. */
  readonly url: string | null;
}

/** Requests of a listener to a deployment. */
export type LeaseRequest =
  | { readonly type: "TakeLease"; readonly listenerId: string; readonly leaseId: string }
  | { readonly type: "RecordListenerReport"; readonly listenerId: string; readonly report: ListenerReport }
  /** The listener polled at `heardAt`, by the clock of its own actor. */
  | { readonly type: "RecordPoll"; readonly heardAt: number }
  | { readonly type: "RecordListenerSilence" };
