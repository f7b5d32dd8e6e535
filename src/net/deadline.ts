/**
 * The instant by which a request and its answer must be over. Its timer is our own and ends with the request: one left
 * behind by `AbortSignal.timeout` keeps an actor in memory until it fires.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  /** Aborts what takes it when the deadline passes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasPassed(): boolean {
    return this.signal.aborted;
  }

  /** Last line of whatever it was for; what passes no more aborts nothing. */
  lift(): void {
    clearTimeout(this.#timer);
  }
}
