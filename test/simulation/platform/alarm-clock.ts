import type { Faults } from "../kernel/faults.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** Retries of the platform after a failed alarm handler: after 2 s, doubling, with 25 % jitter (Cloudflare: Alarms). */
const TRIES = 6;
const FIRST_PAUSE_MS = 2000;
const JITTER = 0.25;

/** Maximum delay of an alarm by maintenance. */
const LATEST_MS = 60_000;

/** The actor of a clock. */
interface Sleeper {
  readonly name: string;
  /** Removes the alarm from storage and calls the handler, which ends with a call of `ended`. */
  ring(): void;
  readonly durableAlarmAt: number | null;
}

/**
 * The alarm of one object: one time, at most one running handler, at-least-once execution. An alarm that is set during
 * the handler fires after its end and replaces a retry.
 */
export class AlarmClock {
  readonly #kernel: Kernel;
  readonly #faults: Faults;
  readonly #sleeper: Sleeper;
  #setting = 0;
  #failures = 0;
  isRinging = false;
  /** Time of the next call of the handler; null: none. */
  nextAt: number | null = null;

  /** Whether the platform is retrying a failed handler. */
  get isTryingAgain(): boolean {
    return this.#failures > 0;
  }

  constructor(kernel: Kernel, faults: Faults, sleeper: Sleeper) {
    this.#kernel = kernel;
    this.#faults = faults;
    this.#sleeper = sleeper;
  }

  /** The alarm was durably set (or deleted: null). */
  set(at: number | null): void {
    if (at === this.nextAt && !this.isRinging) return;
    this.#setting += 1;
    this.nextAt = at;
    this.#failures = 0;
    if (at !== null && !this.isRinging) this.#plan(at);
  }

  ended(how: "well" | "badly"): void {
    this.isRinging = false;
    const at = this.#sleeper.durableAlarmAt;
    this.#setting += 1;
    if (at !== null) {
      this.nextAt = at;
      this.#failures = 0;
      this.#plan(at);
      return;
    }
    this.nextAt = how === "badly" ? this.#retryAt() : null;
    if (this.nextAt !== null) this.#plan(this.nextAt);
    else if (how === "well" && this.#faults.occurs("double_alarm")) this.#plan(this.#kernel.now);
  }

  #retryAt(): number | null {
    this.#failures += 1;
    if (this.#failures > TRIES) return null;
    const jitter = 1 + JITTER * (2 * this.#kernel.random.fraction() - 1);
    return this.#kernel.now + FIRST_PAUSE_MS * 2 ** (this.#failures - 1) * jitter;
  }

  #plan(at: number): void {
    const setting = this.#setting;
    const lateMs = this.#faults.occurs("late_alarm")
      ? this.#kernel.random.between(0, LATEST_MS)
      : this.#kernel.random.between(0, 5);
    this.#kernel.plan(at - this.#kernel.now + lateMs, `alarm ${this.#sleeper.name}`, () => {
      if (setting !== this.#setting || this.isRinging) return;
      this.isRinging = true;
      this.nextAt = null;
      this.#sleeper.ring();
    });
  }
}
