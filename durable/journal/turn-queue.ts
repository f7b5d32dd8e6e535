import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Journal } from "./journal.ts";

/**
 * Longest wait for the turn before, longer than any request with its deadline takes. A turn that hangs must not block the
 * later ones; work that both do is harmless.
 */
export const MAX_TURN_WAIT_MS = 5 * 60_000;

interface Timed {
  readonly now: number;
}

interface Typed {
  readonly type: string;
}

/** How an actor works. */
interface TurnOptions<C extends Timed, E extends Typed> {
  readonly journal: Pick<Journal<never, C, E, never>, "submitAndAct" | "isDue" | "armRecovery" | "settle" | "leave">;
  /**
   * Does all due work. false: it failed, and is tried again at `recoveryAt`. `isLatest`: false when this turn hung and
   * a later one has begun.
   */
  act(isLatest: () => boolean): Promise<boolean>;
  /** When to retry what could not be done now, in epoch milliseconds. */
  recoveryAt(): number;
}

/**
 * The work of one actor, one turn after the other: its alarms, and the work that a command makes due, which begins at once.
 * It begins in the same synchronous turn as the command, so that its first writes are committed together with the events
 * of the command. Should the process die, the alarm does the work.
 */
export class TurnQueue<C extends Timed, E extends Typed> {
  readonly #options: TurnOptions<C, E>;
  #last: Promise<void> | null = null;
  /** Turns that have begun since the process started. */
  #begun = 0;

  constructor(options: TurnOptions<C, E>) {
    this.#options = options;
  }

  /** Submits the command, and begins the work that it makes due. The caller does not wait for that work. */
  begin(command: C): Decision<E> {
    const { journal, recoveryAt } = this.#options;
    const decided = journal.submitAndAct(command);
    if (!decided.ok || !journal.isDue(command.now)) return decided;
    const turn = this.#turn(() => journal.leave(Date.now(), recoveryAt()));
    turn.catch(() => {}); // the alarm comes for the rest
    return decided;
  }

  /** All of `alarm()`. */
  async alarm(): Promise<void> {
    const { journal, recoveryAt } = this.#options;
    journal.armRecovery(recoveryAt());
    await this.#turn(() => journal.settle(recoveryAt()));
  }

  #turn(end: () => void): Promise<void> {
    const before = this.#last;
    const turn = before === null ? this.#act(end) : within(before, MAX_TURN_WAIT_MS).then(() => this.#act(end));
    const over = turn
      .catch(() => {}) // handled by the caller of the turn
      .then(() => {
        if (this.#last === over) this.#last = null;
      });
    this.#last = over;
    return turn;
  }

  async #act(end: () => void): Promise<void> {
    const { journal, act, recoveryAt } = this.#options;
    const mine = ++this.#begun;
    if (await act(() => mine === this.#begun)) end();
    else journal.armRecovery(recoveryAt());
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
