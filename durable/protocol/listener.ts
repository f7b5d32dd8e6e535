import type { ListenerReport } from "../../src/domain/deployment/lease.ts";
import type { RevisionRecord } from "../../src/domain/deployment/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";

/** What deployments and listeners say to each other. */

/** Values of environment variables by name, in plain text. Between actors they go to a listener only. */
export type PlainSecrets = Readonly<Record<string, string>>;

/** Everything that a listener needs to run a revision, its secrets included. */
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

/** What a listener learns when it polls. */
export interface Poll {
  readonly work: readonly ListenerWork[];
  /** Revisions that serve. The listener stops all others that run and have no lease. */
  readonly serving: readonly { readonly deploymentId: string; readonly revisionId: string }[];
}

/** The part of a deployment that its listener speaks to. */
export interface LeaseProtocol {
  /** What the listener, which polled at `heardAt`, has to do and to keep running; null: there is no such deployment. */
  offer(listenerId: string, heardAt: number): Promise<Offer | null>;
  /** `conflict`: the lease is lost, or the status cannot follow. */
  applyReport(listenerId: string, report: ListenerReport): Promise<Result<{ readonly leaseSeconds: number }, Refusal>>;
  /** The listener did not poll for a while. Answers whether a revision is at work, so that a report may still come. */
  applySilence(): Promise<boolean>;
}

/** One per listener: `listener/<tenantId>/<id>`. It knows its deployments, and when the listener last polled. */
export interface ListenerProtocol {
  assign(deploymentId: string): Promise<void>;
  release(deploymentId: string): Promise<void>;
  poll(): Promise<Poll>;
  /** When it last polled, in epoch milliseconds; null: never. */
  heardAt(): Promise<number | null>;
}
