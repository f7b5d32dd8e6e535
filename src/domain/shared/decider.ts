/**
 * The contract between an actor's rules and its shell: three pure functions and a first state.
 * The shell supplies instants and ids with the command; the rules never ask a clock or a dice.
 */
export interface Decider<S, C, E> {
  readonly initialState: S;
  /** What happens because of the command. An empty list: nothing happened, so repeating a command is safe. */
  decide(command: C, state: S): readonly E[];
  /** Records one event. Never refuses, never computes policy. */
  evolve(state: S, event: E): S;
  /** Earliest instant (epoch ms) at which this state wants to be woken; null when it is at rest. */
  wakeAt(state: S): number | null;
}
