import type { ExportWorld } from "../exports/export-world.ts";
import type { AnyLine } from "../kernel/logs.ts";
import type { Actor } from "../platform/actor.ts";
import type { StoredObject } from "../store/customer-bucket.ts";

/** A sentence that must be true of every world of a kind at every moment. */
export interface Invariant<W = ExportWorld, Looks extends Watch = Watch> {
  readonly name: string;
  readonly promise: string;
  /** Begins to look at a world. `violated` says what was seen instead. */
  watch(world: W, violated: (seen: string) => void): Looks;
}

/** The moments at which an invariant looks. */
export interface Watch {
  /** A line of a log has become durable. */
  readonly onLine?: (line: AnyLine) => void;
  /** An event was delivered to an actor, and all that followed from it at once is done. */
  readonly onTurn?: (actor: Actor) => void;
  /** An object was written to the customer's bucket. */
  readonly onObject?: (key: string, object: StoredObject) => void;
  /** A text was kept, sent or logged. */
  readonly onText?: (text: string, where: string) => void;
  /** Nothing is going to happen any more. */
  readonly atRest?: () => void | Promise<void>;
}
