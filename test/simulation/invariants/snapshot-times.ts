import type { ExportWorld } from "../exports/export-world.ts";
import type { AnyLine } from "../kernel/logs.ts";
import type { Actor } from "../platform/actor.ts";

/** Start and end of a run's snapshot, in epoch milliseconds. */
export interface SnapshotTime {
  beganAt: number;
  takenAt: number;
}

/** When the snapshot of each export run was taken. */
export class SnapshotTimes {
  readonly #world: ExportWorld;
  readonly #of = new Map<Actor, SnapshotTime>();

  constructor(world: ExportWorld) {
    this.#world = world;
  }

  onLine({ of, actor, event }: AnyLine): void {
    if (of !== "EXPORT_RUN") return;
    if (event.type === "StepBegan" && event.step === "snapshot" && !(this.#of.has(actor) && this.#isFixed(actor)))
      this.#of.set(actor, { beganAt: event.at, takenAt: Number.POSITIVE_INFINITY });
    const open = this.#of.get(actor);
    if (event.type === "SnapshotTaken" && open !== undefined) open.takenAt = event.at;
  }

  /** undefined: the run never began one. */
  of(run: Actor): SnapshotTime | undefined {
    return this.#of.get(run);
  }

  /** A schedule's export keeps its first snapshot, also if the answer was lost. */
  #isFixed(run: Actor): boolean {
    const state = this.#world.logs.runState(run);
    return state.status !== "NONE" && state.spec.scheduleId !== undefined;
  }
}
