import { expect } from "vitest";
import type { Decider } from "../../src/domain/shared/decider.ts";

/** The language of a domain test: given past events, when a command, then new events. */
export const specification = <S, C, E>({ initialState, decide, evolve, wakeAt }: Decider<S, C, E>) => ({
  given: (...past: readonly E[]) => {
    const before = past.reduce((state, event) => evolve(state, event), initialState);
    return {
      state: before,
      wakesAt: (at: number | null) => expect(wakeAt(before)).toBe(at),
      when: (command: C) => {
        const events = decide(command, before);
        const after = events.reduce((state, event) => evolve(state, event), before);
        const outcome = {
          events,
          state: after,
          // biome-ignore lint/suspicious/noThenProperty: given / when / then is the language; nobody awaits an outcome
          then: (...expected: readonly E[]) => {
            expect(events).toEqual(expected);
            return outcome;
          },
          thenNothing: () => outcome.then(),
          thenWakesAt: (at: number | null) => {
            expect(wakeAt(after)).toBe(at);
            return outcome;
          },
        };
        return outcome;
      },
    };
  },
});
