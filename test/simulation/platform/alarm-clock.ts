import type { Faults } from "../kernel/faults.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** The platform's own tries after a failed handler: from 2 s on, doubling, with 25 % of jitter; then it gives up. */
const TRIES = 6;
const FIRST_PAUSE_MS = 2000;
const JITTER = 0.25;

/** How late maintenance may make an alarm. */
const LATEST_MS = 60_000;

/** What the clock needs of its actor. */
interface Sleeper {
  readonly name: string;
  /** Takes the alarm out of storage and calls the handler; `ended` is then told how that went. */
  ring(): void;
  readonly durableAlarmAt: number | null;
}

/**
 * One object's alarm: one time, one handler at a time, at least once. An alarm set while the handler runs waits for
 * its end and makes a retry needless.
 */
export class AlarmClock {
  readonly #kernel: Kernel;
  readonly #faults: Faults;
  readonly #sleeper: Sleeper;
  #setting = 0;
  #failures = 0;
  isRinging = false;
  /** When the handler is going to be called; null: never. */
  nextAt: number | null = null;

  /** Whether the platform calls a handler again that failed. */
  get isTryingAgain(): boolean {
    return this.#failures > 0;
  }

  constructor(kernel: Kernel, faults: Faults, sleeper: Sleeper) {
    this.#kernel = kernel;
    this.#faults = faults;
    this.#sleeper = sleeper;
  }

  /** The alarm was set or deleted, durably. */
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
    else if (how === "well" && this.#faults.strikes("double_alarm")) this.#plan(this.#kernel.now);
  }

  #retryAt(): number | null {
    this.#failures += 1;
    if (this.#failures > TRIES) return null;
    const jitter = 1 + JITTER * (2 * this.#kernel.random.fraction() - 1);
    return this.#kernel.now + FIRST_PAUSE_MS * 2 ** (this.#failures - 1) * jitter;
  }

  #plan(at: number): void {
    const setting = this.#setting;
    const lateMs = this.#faults.strikes("late_alarm")
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
