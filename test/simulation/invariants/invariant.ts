import type { ExportWorld } from "../exports/export-world.ts";
import type { AnyLine } from "../kernel/logs.ts";
import type { Actor } from "../platform/actor.ts";
import type { StoredObject } from "../store/customer-bucket.ts";

/** A statement that must hold at all times in all worlds of a kind. */
export interface Invariant<W = ExportWorld, Hooks extends Watch = Watch> {
  readonly name: string;
  readonly promise: string;
  /** Starts to check a world. Calls `violated` with what was observed instead. */
  watch(world: W, violated: (seen: string) => void): Hooks;
}

/** Callbacks for the moments at which an invariant is checked. */
export interface Watch {
  /** A line of a log became durable. */
  readonly onLine?: (line: AnyLine) => void;
  /** An event was delivered to an actor, and its synchronous effects are done. */
  readonly onTurn?: (actor: Actor) => void;
  /** An object was written to the customer's bucket. */
  readonly onObject?: (key: string, object: StoredObject) => void;
  /** A text was stored, sent or logged. */
  readonly onText?: (text: string, where: string) => void;
  /** No event is left. */
  readonly atRest?: () => void | Promise<void>;
}
