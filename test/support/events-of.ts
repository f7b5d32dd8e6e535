import type { Decision } from "../../src/domain/shared/decider.ts";

/** The events of a decision; none if the command is refused. */
export const eventsOf = <E>(decided: Decision<E>): readonly E[] => (decided.ok ? decided.value : []);
