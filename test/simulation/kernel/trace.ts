/** Lines in the report of a violation. */
const KEPT_LINES = 60;

/** The events in order: a hash of all events, and the last lines. */
export class Trace {
  readonly #last: string[] = [];
  readonly #print: ((line: string) => void) | null;
  #high = 0x811c9dc5;
  #low = 0x01000193;

  /** `print` is called with each line; null: nothing is printed. */
  constructor(print: ((line: string) => void) | null) {
    this.#print = print;
  }

  add(now: number, label: string): void {
    const line = `${new Date(now).toISOString()} ${label}`;
    for (let i = 0; i < line.length; i += 1) {
      const sign = line.charCodeAt(i);
      this.#high = Math.imul(this.#high ^ sign, 0x01000193); // FNV-1a, and below with another prime
      this.#low = Math.imul(this.#low ^ sign, 0x85ebca6b);
    }
    this.note(line);
  }

  /** Adds a line that is not an event and not part of the hash. */
  note(line: string): void {
    this.#print?.(line);
    this.#last.push(line);
    if (this.#last.length > 2 * KEPT_LINES) this.#last.splice(0, KEPT_LINES);
  }

  /** Equal for simulations that delivered the same events at the same instants. */
  get hash(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
  }

  get last(): readonly string[] {
    return this.#last.slice(-KEPT_LINES);
  }
}
