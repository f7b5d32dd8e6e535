import type { Decision } from "../../src/domain/shared/decider.ts";

/** What a decision appends to the log: nothing when the command is refused. */
export const eventsOf = <E>(decided: Decision<E>): readonly E[] => (decided.ok ? decided.value : []);
