import type { Refusal } from "./failures.ts";
import type { Result } from "./result.ts";

/**
 * The outcome of a command: its events, or why it is refused. An empty list means that nothing is left to do, so a
 * command can be repeated. A refused command changes nothing.
 */
export type Decision<E> = Result<readonly E[], Refusal>;

/**
 * The interface between an actor's rules and its shell: three pure functions and a first state. The shell passes
 * instants and ids in the command; the rules never read a clock and never draw a random number.
 */
export interface Decider<S, C, E> {
  readonly initialState: S;
  decide(command: C, state: S): Decision<E>;
  /** Applies one event. Never refuses, never computes policy. */
  evolve(state: S, event: E): S;
  /** Earliest instant (epoch ms) at which this state needs a wake-up; null: none. */
  wakeAt(state: S): number | null;
}
