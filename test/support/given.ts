import { expect } from "vitest";
import type { Decider } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { ok } from "../../src/domain/shared/result.ts";
import { eventsOf } from "./events-of.ts";

/** Domain tests as given past events, when a command, then new events or a refusal. */
export const specification = <S, C, E>({ initialState, decide, evolve, wakeAt }: Decider<S, C, E>) => ({
  given: (...past: readonly E[]) => {
    const before = past.reduce((state, event) => evolve(state, event), initialState);
    return {
      state: before,
      wakesAt: (at: number | null) => expect(wakeAt(before)).toBe(at),
      when: (command: C) => {
        const decided = decide(command, before);
        const events = eventsOf(decided);
        const after = events.reduce((state, event) => evolve(state, event), before);
        const outcome = {
          events,
          state: after,
          // biome-ignore lint/suspicious/noThenProperty: given / when / then; an outcome is never awaited
          then: (...expected: readonly E[]) => {
            expect(decided).toEqual(ok(expected));
            return outcome;
          },
          thenRefused: (why: Partial<Refusal>) => expect(decided).toMatchObject({ ok: false, failure: why }),
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
