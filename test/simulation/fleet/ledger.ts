import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import type { RevisionStatus } from "../../../src/domain/deployment/revision-status.ts";
import type { AnyLine } from "../kernel/logs.ts";
import type { Actor } from "../platform/actor.ts";

/** A lease, as the log of its deployment records it. */
export interface KnownLease {
  readonly id: string;
  readonly deployment: Actor;
  readonly revisionId: string;
  readonly takenAt: number;
  until: number;
  /** When it ended, according to the log; null: it has not ended. */
  endedAt: number | null;
  /** Status that the revision got when the lease ended. */
  end: RevisionStatus | null;
}

export interface KnownRevision {
  readonly id: string;
  readonly deployment: Actor;
  /** Position among the revisions of the deployment, from 0. */
  readonly ordinal: number;
  status: RevisionStatus;
  /** Number of leases on it that expired. */
  losses: number;
}

/** The revision that serves, and when that became durable. */
export interface KnownActive {
  readonly revision: KnownRevision;
  readonly since: number;
}

/** Whether the event records that a lease expired. The revision keeps that reason when it is queued again. */
export const isLoss = (event: DeploymentEvent): boolean =>
  event.type === "RevisionMoved" && event.failure?.reason === "lease_lost" && event.to !== "QUEUED";

const ON_LEASE: readonly RevisionStatus[] = ["BUILDING", "AWAITING_DEPLOY", "DEPLOYING"];

/**
 * Leases and revisions according to the durable logs, computed without the product's rules. When an invariant is shown a
 * line, the ledger does not contain that line yet.
 */
export class Ledger {
  readonly leases = new Map<string, KnownLease>();
  readonly revisions = new Map<string, KnownRevision>();
  readonly active = new Map<Actor, KnownActive>();
  /** Deployment ids by the id of the first revision that their fleet registered. */
  readonly registered = new Map<string, string>();
  readonly #ofDeployment = new Map<Actor, KnownRevision[]>();

  enter(line: AnyLine, now: number): void {
    if (line.of === "DEPLOYMENT") this.#enter(line.actor, line.event, now);
    if (line.of === "FLEET" && line.event.type === "DeploymentRegistered") {
      const { content, revisionId, definition } = line.event.order;
      if (content !== null) this.registered.set(revisionId, definition.id);
    }
  }

  /** Oldest first. */
  revisionsOf(deployment: Actor): readonly KnownRevision[] {
    return this.#ofDeployment.get(deployment) ?? [];
  }

  /** The lease on a revision that has not ended; null: there is none. */
  leaseOn(revisionId: string): KnownLease | null {
    for (const lease of this.leases.values())
      if (lease.revisionId === revisionId && lease.endedAt === null) return lease;
    return null;
  }

  #enter(actor: Actor, event: DeploymentEvent, now: number): void {
    switch (event.type) {
      case "RevisionAdded": {
        const known = this.#ofDeployment.get(actor) ?? [];
        const { revisionId: id } = event;
        const revision: KnownRevision = {
          id,
          deployment: actor,
          ordinal: known.length,
          status: "CREATING",
          losses: 0,
        };
        this.revisions.set(id, revision);
        this.#ofDeployment.set(actor, [...known, revision]);
        return;
      }
      case "RevisionMoved":
        this.#move(actor, event, now);
        return;
      case "LeaseTaken": {
        const { id, until } = event.lease;
        const { revisionId, at: takenAt } = event;
        this.leases.set(id, { id, deployment: actor, revisionId, takenAt, until, endedAt: null, end: null });
        return;
      }
      case "LeaseRenewed": {
        const lease = this.leaseOn(event.revisionId);
        if (lease !== null) lease.until = event.until;
        return;
      }
      case "DeploymentDeleted":
        this.active.delete(actor);
        return;
      case "DeploymentCreated":
      case "ProjectOpened":
      case "WorkBegan":
      case "RevisionBuilt":
      case "ServedAt":
      case "DeploymentCleaned":
        return;
    }
  }

  #move(actor: Actor, event: Extract<DeploymentEvent, { type: "RevisionMoved" }>, now: number): void {
    const revision = this.revisions.get(event.revisionId);
    if (revision === undefined) return;
    const lease = this.leaseOn(revision.id);
    if (lease !== null && !ON_LEASE.includes(event.to)) Object.assign(lease, { endedAt: event.at, end: event.to });
    if (isLoss(event)) revision.losses += 1;
    if (event.to === "DEPLOYED" && revision.status === "DEPLOYING") this.active.set(actor, { revision, since: now });
    revision.status = event.to;
  }
}
