import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Journal } from "./journal.ts";

/**
 * Longest wait for the turn before, longer than any request with its deadline takes. A turn that hangs must not keep
 * the later ones from their work; what both do is harmless.
 */
export const MAX_TURN_WAIT_MS = 5 * 60_000;

interface Timed {
  readonly now: number;
}

interface Typed {
  readonly type: string;
}

/** What an actor does about what is due. */
interface TurnOptions<C extends Timed, E extends Typed> {
  readonly journal: Pick<Journal<never, C, E, never>, "submitAndAct" | "isDue" | "armRecovery" | "settle" | "leave">;
  /**
   * Does what is due. False: it broke, and is tried again after a while. `isLatest`: whether no later turn has begun,
   * as one does when this one hangs.
   */
  act(isLatest: () => boolean): Promise<boolean>;
  /** When to try again what could not be done now, in epoch milliseconds. */
  recoveryAt(): number;
}

/**
 * Turns of work of one actor, one after the other: its alarms, and what it begins of itself, at once, when a command
 * makes something due. The first one begins at once, so that what it writes is committed together with what called for
 * it; the alarm does what dies on the way.
 */
export class TurnQueue<C extends Timed, E extends Typed> {
  readonly #part: TurnOptions<C, E>;
  #last: Promise<void> | null = null;
  /** Turns that have begun since the process started. */
  #begun = 0;

  constructor(part: TurnOptions<C, E>) {
    this.#part = part;
  }

  /** Takes the command, and does at once what it makes due. The caller does not wait for that work. */
  begin(command: C): Decision<E> {
    const { journal, recoveryAt } = this.#part;
    const decided = journal.submitAndAct(command);
    if (!decided.ok || !journal.isDue(command.now)) return decided;
    const turn = this.#turn(() => journal.leave(Date.now(), recoveryAt()));
    turn.catch(() => {}); // the alarm stands
    return decided;
  }

  /** All of `alarm()`. */
  async alarm(): Promise<void> {
    const { journal, recoveryAt } = this.#part;
    journal.armRecovery(recoveryAt());
    await this.#turn(() => journal.settle(recoveryAt()));
  }

  #turn(end: () => void): Promise<void> {
    const before = this.#last;
    const turn = before === null ? this.#act(end) : within(before, MAX_TURN_WAIT_MS).then(() => this.#act(end));
    const over = turn
      .catch(() => {}) // told to whoever did the work
      .then(() => {
        if (this.#last === over) this.#last = null;
      });
    this.#last = over;
    return turn;
  }

  async #act(end: () => void): Promise<void> {
    const { journal, act, recoveryAt } = this.#part;
    const mine = ++this.#begun;
    if (await act(() => mine === this.#begun)) end();
    else journal.armRecovery(recoveryAt());
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
