import type { Refusal } from "./failures.ts";
import type { Result } from "./result.ts";

/**
 * What becomes of a command: the events that happen, or why it is refused. An empty list: nothing is left to do, so
 * that a command can be repeated. A refused command changes nothing.
 */
export type Decision<E> = Result<readonly E[], Refusal>;

/**
 * The contract between an actor's rules and its shell: three pure functions and a first state.
 * The shell supplies instants and ids with the command; the rules never read a clock and never draw a random number.
 */
export interface Decider<S, C, E> {
  readonly initialState: S;
  decide(command: C, state: S): Decision<E>;
  /** Records one event. Never refuses, never computes policy. */
  evolve(state: S, event: E): S;
  /** Earliest instant (epoch ms) at which this state wants to be woken; null when it is at rest. */
  wakeAt(state: S): number | null;
}
