import type { ListenerReport } from "../../src/domain/deployment/lease.ts";
import type { RevisionRecord } from "../../src/domain/deployment/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";

/** Messages between deployments and listeners. */

/** Values of environment variables by name, in plain text. Actors send them to a listener only. */
export type PlainSecrets = Readonly<Record<string, string>>;

/** Everything that a listener needs to run a revision, including its secrets. */
export interface ListenerWork {
  readonly leaseId: string;
  readonly leaseSeconds: number;
  readonly revision: RevisionRecord;
  readonly environment: PlainSecrets;
}

export interface Offer {
  /** A revision to work on, leased with this answer; null: none waits. */
  readonly work: ListenerWork | null;
  readonly servingRevisionId: string | null;
}

/** The answer to a poll of a listener. */
export interface Poll {
  readonly work: readonly ListenerWork[];
  /** Active revisions. The listener stops all other running ones that have no lease. */
  readonly serving: readonly { readonly deploymentId: string; readonly revisionId: string }[];
}

/** The part of a deployment's protocol that its listener uses. */
export interface LeaseProtocol {
  /**
   * The work and the active revision for the listener, which polled at `heardAt`; null: there is no such deployment.
   */
  offer(listenerId: string, heardAt: number): Promise<Offer | null>;
  /** `conflict`: the lease is lost, or the status cannot follow the present one. */
  applyReport(listenerId: string, report: ListenerReport): Promise<Result<{ readonly leaseSeconds: number }, Refusal>>;
  /**
   * The listener has not polled for a while. Answers whether a revision is at work, so that a report may still come.
   */
  applySilence(): Promise<boolean>;
}

/** One per listener: `listener/<tenantId>/<id>`. It stores its deployments, and when the listener last polled. */
export interface ListenerProtocol {
  assign(deploymentId: string): Promise<void>;
  release(deploymentId: string): Promise<void>;
  poll(): Promise<Poll>;
  /** When it last polled, in epoch milliseconds; null: never. */
  heardAt(): Promise<number | null>;
}
