import type { Decider } from "../shared/decider.ts";
import { ok } from "../shared/result.ts";
import type { GrantCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { GrantEvent } from "./events.ts";
import { evolve, type GrantState, initialGrantState, isOpen } from "./state.ts";

/** When the next authorization is overdue or the next token, which nothing can renew, is dead. */
function wakeAt(state: GrantState): number | null {
  const deadlines = [...state.authorizations.values()].flatMap((one) => (isOpen(one) ? [one.deadline] : []));
  const ends = [...state.tokens.values()].flatMap((token) =>
    token.expiresAt === null || token.canRefresh ? [] : [token.expiresAt],
  );
  const due = [...deadlines, ...ends];
  return due.length === 0 ? null : Math.min(...due);
}

/** One user's consents and tokens at one provider. Tokens that can be refreshed are, when somebody asks for them. */
export const grant: Decider<GrantState, GrantCommand, GrantEvent> = {
  initialState: initialGrantState,
  decide: (command, state) => ok(decide(command, state)),
  evolve,
  wakeAt,
};
