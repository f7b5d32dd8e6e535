import type { ListenerReport } from "../../src/domain/deployment/commands.ts";
import type { DeploymentEvent } from "../../src/domain/deployment/events.ts";
import type {
  DeploymentDefinition,
  DeploymentRecord,
  ListenerRecord,
  RevisionContent,
  RevisionRecord,
} from "../../src/domain/deployment/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery } from "../../src/domain/shared/history.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { ListBatch, ListBatchQuery } from "./list-batch.ts";

/** Secrets in plain text, by name; they cross between actors only on their way to be sealed, or to a listener. */
export type PlainSecrets = Readonly<Record<string, string>>;

/** What a new revision runs, its secrets not sealed yet. */
export type RevisionOrder = Omit<RevisionContent, "secrets"> & { readonly secrets: PlainSecrets };

/** Changes of what runs; absent members stay as they are. */
export type RevisionChange = Partial<RevisionOrder>;

/** What a listener needs to run a revision, secrets included: it is the data plane. */
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

/** What serves a deployment now. */
export type Serving =
  | { readonly kind: "edge"; readonly agent: Agent }
  | { readonly kind: "remote"; readonly url: string | null }
  | { readonly kind: "nothing"; readonly latest: string };

/** What the edge needs to load a revision; secrets stay sealed until it is loaded. */
export interface Agent {
  readonly tenantId: string;
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly name: string;
  readonly endpoint: string;
  readonly allowNetwork: boolean;
  readonly bundleKey: string;
  readonly secretsEnvelope: string | null;
  readonly keyEnvelope: string;
}

/** One per deployment: `deployment/<tenantId>/<id>`. */
export interface DeploymentProtocol {
  /** `order` null, or without its source: a deployment without a revision yet. Repeated, it answers what is there. */
  create(definition: DeploymentDefinition, order: RevisionOrder | null): Promise<Result<DeploymentRecord, Refusal>>;
  view(): Promise<Result<DeploymentRecord, Refusal>>;
  /** A revision like the latest but for the change, built only if that is of the source; an empty change makes none. */
  revise(change: RevisionChange): Promise<Result<DeploymentRecord, Refusal>>;
  /** A new revision with the content of an old one, and what was built of it. */
  redeploy(revisionId: string): Promise<Result<DeploymentRecord, Refusal>>;
  /** Newest first. */
  revisions(query: ListBatchQuery): Promise<Result<ListBatch<RevisionRecord>, Refusal>>;
  revision(id: string): Promise<Result<RevisionRecord, Refusal>>;
  /** `withProject`: its tracing project goes, too; where it did not write down which that is, the one of its name. */
  remove(command: { readonly withProject: boolean }): Promise<Result<null, Refusal>>;
  /** Whether there is no such deployment, or not any more. There never will be one then. */
  forgo(): Promise<boolean>;
  events(query: EventQuery): Promise<EventPage<DeploymentEvent>>;
  serving(): Promise<Serving | null>;

  /** What the listener, which polled at `heardAt`, is to do and to keep running; null: the deployment was deleted. */
  offer(listenerId: string, heardAt: number): Promise<Offer | null>;
  applyReport(listenerId: string, report: ListenerReport): Promise<Result<{ readonly leaseSeconds: number }, Refusal>>;
  /** Nobody polled for a while. Answers whether somebody is at work all the same, and may yet report. */
  applySilence(): Promise<boolean>;
}

/** One per workspace: `fleet/<tenantId>`. */
export interface FleetProtocol {
  createDeployment(
    definition: DeploymentDefinition,
    order: RevisionOrder | null,
  ): Promise<Result<DeploymentRecord, Refusal>>;
  /** All deployments, the newest first. */
  deployments(tenantId: string): Promise<readonly DeploymentRecord[]>;
  /** The deployment was deleted. */
  unlist(deploymentId: string): Promise<void>;

  /** `conflict` when the compute id is taken. */
  createListener(listener: ListenerRecord): Promise<Result<ListenerRecord, Refusal>>;
  listeners(): Promise<readonly ListenerRecord[]>;
  listener(id: string): Promise<Result<ListenerRecord, Refusal>>;
  changeListener(id: string, k8sNamespaces: readonly string[] | null): Promise<Result<ListenerRecord, Refusal>>;
  /** `conflict` while deployments name it, or are being made or deleted. */
  deleteListener(tenantId: string, id: string): Promise<Result<null, Refusal>>;
}

/** What a listener learns when it polls. */
export interface Poll {
  readonly work: readonly ListenerWork[];
  /** Revisions that serve: what else runs at the listener, and has no lease, is to be stopped. */
  readonly serving: readonly { readonly deploymentId: string; readonly revisionId: string }[];
}

/** One per listener: `listener/<tenantId>/<id>`. It knows its deployments and when the listener was last heard from. */
export interface ListenerProtocol {
  assign(deploymentId: string): Promise<void>;
  release(deploymentId: string): Promise<void>;
  poll(): Promise<Poll>;
  /** When it was last heard from, epoch milliseconds; null: never. */
  heardAt(): Promise<number | null>;
}
