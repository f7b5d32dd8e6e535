import type { DeploymentEvent } from "../../src/domain/deployment/events.ts";
import type { DeploymentOrder } from "../../src/domain/deployment/order.ts";
import type { PlaneName } from "../../src/domain/deployment/planes.ts";
import type { DeploymentRecord, RevisionContent, RevisionRecord } from "../../src/domain/deployment/records.ts";
import type { ListenerRecord } from "../../src/domain/fleet/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery } from "../../src/domain/shared/history.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { ListBatch, ListBatchQuery } from "./list-batch.ts";
import type { LeaseProtocol } from "./listener.ts";

/** The target of requests to a deployment. */
export type Serving =
  | { readonly kind: PlaneName; readonly agent: Agent }
  /** No revision is active; `latest`: status of the latest one. */
  | { readonly kind: "nothing"; readonly latest: string };

/** A revision in the form that a data plane runs. Its secrets stay sealed until it starts. */
export interface Agent {
  readonly tenantId: string;
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly name: string;
  readonly endpoint: string;
  readonly allowNetwork: boolean;
  readonly bundleKey: string;
  /** Address at its listener; null: unknown. */
  readonly url: string | null;
  readonly secretsEnvelope: string | null;
  readonly keyEnvelope: string;
}

/** One per deployment: `deployment/<tenantId>/<id>`. */
export interface DeploymentProtocol extends LeaseProtocol {
  /** Creates a registered deployment. Idempotent; after the deletion it changes nothing. */
  create(order: DeploymentOrder): Promise<void>;
  view(): Promise<Result<DeploymentRecord, Refusal>>;
  /**
   * Adds a revision like the latest one except for the change, built only if its source changed; an empty change adds
   * none.
   */
  revise(change: Partial<RevisionContent>): Promise<Result<DeploymentRecord, Refusal>>;
  /** Adds a revision with the content of an earlier one, and with its bundle. */
  redeploy(revisionId: string): Promise<Result<DeploymentRecord, Refusal>>;
  /** Newest first. */
  revisions(query: ListBatchQuery): Promise<Result<ListBatch<RevisionRecord>, Refusal>>;
  revision(id: string): Promise<Result<RevisionRecord, Refusal>>;
  /** `withProject`: its tracing project is deleted too; if that is unknown, the project with its name. */
  remove(command: { readonly withProject: boolean }): Promise<Result<null, Refusal>>;
  /** Whether it was deleted, so that its name is free. */
  isDeleted(): Promise<boolean>;
  events(query: EventQuery): Promise<EventPage<DeploymentEvent>>;
  /** null: there is no such deployment. */
  serving(): Promise<Serving | null>;
}

/** One per workspace: `fleet/<tenantId>`. */
export interface FleetProtocol {
  /** Registers the deployment, which commits the order, and creates it. Answers its record at creation. */
  createDeployment(order: DeploymentOrder): Promise<Result<DeploymentRecord, Refusal>>;
  /** Creates every registered deployment that could not be created yet. */
  createRegistered(): Promise<void>;
  /** All deployments, newest first. */
  deployments(tenantId: string): Promise<readonly DeploymentRecord[]>;
  /** The deployment was deleted. */
  removeDeployment(id: string): Promise<void>;

  /** `conflict` when the compute id is taken. */
  createListener(listener: ListenerRecord): Promise<Result<ListenerRecord, Refusal>>;
  listeners(): Promise<readonly ListenerRecord[]>;
  listener(id: string): Promise<Result<ListenerRecord, Refusal>>;
  changeListener(id: string, k8sNamespaces: readonly string[] | null): Promise<Result<ListenerRecord, Refusal>>;
  /** `conflict` while it runs deployments. */
  deleteListener(tenantId: string, id: string): Promise<Result<null, Refusal>>;
}
