/**
 * The time limit of a request, including its response. `clear` stops the timer: one of `AbortSignal.timeout` cannot be
 * stopped and keeps an actor in memory until it fires.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  /** Aborts when the deadline passes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasPassed(): boolean {
    return this.signal.aborted;
  }

  /** Stops the timer; must be called when the request is done. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}
