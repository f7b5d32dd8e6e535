import type { DeploymentEvent } from "../../../src/domain/deployment/events.ts";
import { deployment } from "../../../src/domain/deployment/index.ts";
import type { DeploymentState } from "../../../src/domain/deployment/state.ts";
import type { DestinationEvent } from "../../../src/domain/destination/events.ts";
import { destination } from "../../../src/domain/destination/index.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import type { ExportState } from "../../../src/domain/export/state.ts";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { FleetEvent } from "../../../src/domain/fleet/events.ts";
import { fleet } from "../../../src/domain/fleet/index.ts";
import type { FleetState } from "../../../src/domain/fleet/state.ts";
import type { Decider } from "../../../src/domain/shared/decider.ts";
import type { WorkspaceEvent } from "../../../src/domain/workspace/events.ts";
import { workspace } from "../../../src/domain/workspace/index.ts";
import type { WorkspaceState } from "../../../src/domain/workspace/state.ts";
import type { Actor } from "../platform/actor.ts";

/** One durable line of an actor's log. */
export interface Line<E> {
  readonly actor: Actor;
  readonly seq: number;
  readonly event: E;
}

/** A line of any log. */
export type AnyLine =
  | ({ readonly of: "WORKSPACE" } & Line<WorkspaceEvent>)
  | ({ readonly of: "DESTINATION" } & Line<DestinationEvent>)
  | ({ readonly of: "EXPORT" } & Line<ExportEvent>)
  | ({ readonly of: "EXPORT_RUN" } & Line<ExportRunEvent>)
  | ({ readonly of: "FLEET" } & Line<FleetEvent>)
  | ({ readonly of: "DEPLOYMENT" } & Line<DeploymentEvent>);

const DECIDERS: Readonly<Record<string, Decider<unknown, never, never>>> = {
  WORKSPACE: workspace,
  DESTINATION: destination,
  EXPORT: bulkExport,
  EXPORT_RUN: exportRun,
  FLEET: fleet,
  DEPLOYMENT: deployment,
} as unknown as Record<string, Decider<unknown, never, never>>; // each only receives its own events

/** The last event number and the folded state of a log. */
export interface FoldedLog {
  readonly seq: number;
  readonly state: unknown;
}

/** The durable logs of all actors, and their states folded by the product's deciders. */
export class Logs {
  readonly #folded = new Map<Actor, FoldedLog>();
  readonly exports = new Map<string, Actor>();
  readonly runs = new Map<string, Actor>();
  readonly deployments = new Map<string, Actor>();

  /** Lines that became durable since the last call. */
  read(actor: Actor): readonly AnyLine[] {
    const decider = DECIDERS[actor.className];
    if (decider === undefined) return [];
    let { seq, state } = this.#folded.get(actor) ?? { seq: 0, state: decider.initialState };
    const query = "SELECT seq, body FROM event WHERE seq > ? ORDER BY seq";
    const rows = actor.storage.rows<{ seq: number; body: string }>(query, seq);
    const lines = rows.map((row) => {
      const event: unknown = JSON.parse(row.body);
      seq = row.seq;
      state = decider.evolve(state, event as never); // its own event
      return { of: actor.className, actor, seq, event } as AnyLine; // the class says which log it is
    });
    this.#folded.set(actor, { seq, state });
    if (actor.className === "EXPORT") this.exports.set(actor.name, actor);
    if (actor.className === "EXPORT_RUN") this.runs.set(actor.name, actor);
    if (actor.className === "DEPLOYMENT") this.deployments.set(actor.name, actor);
    return lines;
  }

  /** When the decider wants the actor to be woken; null: never, or the actor has no log. */
  wakeAt(actor: Actor): number | null {
    const folded = this.#folded.get(actor);
    return folded === undefined ? null : (DECIDERS[actor.className]?.wakeAt(folded.state) ?? null);
  }

  // The folds return the state of their own class.
  exportState = (actor: Actor): ExportState =>
    (this.#folded.get(actor)?.state ?? bulkExport.initialState) as ExportState;

  runState = (actor: Actor): ExportRunState =>
    (this.#folded.get(actor)?.state ?? exportRun.initialState) as ExportRunState;

  deploymentState = (actor: Actor): DeploymentState =>
    (this.#folded.get(actor)?.state ?? deployment.initialState) as DeploymentState;

  workspaceOf = (tenantId: string): WorkspaceState =>
    (this.#stateNamed(`workspace/${tenantId}`) ?? workspace.initialState) as WorkspaceState;

  fleetOf = (tenantId: string): FleetState =>
    (this.#stateNamed(`fleet/${tenantId}`) ?? fleet.initialState) as FleetState;

  /** Whether the actor has a log that is not empty. */
  has(actor: Actor): boolean {
    return this.#folded.has(actor);
  }

  #stateNamed(name: string): unknown {
    for (const [actor, { state }] of this.#folded) if (actor.name === name) return state;
    return undefined;
  }

  runsOf(exportId: string): readonly Actor[] {
    const prefix = `export-run/${exportId}/`;
    return [...this.runs.values()].filter(({ name }) => name.startsWith(prefix));
  }
}
