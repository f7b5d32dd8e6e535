import type { Refusal } from "../src/domain/failures.ts";
import { fail, ok, type Result } from "../src/domain/result.ts";

/** What one request may cost. Every question to a shard counts at least so much, found or not. */
const LEAST_BYTES_PER_QUESTION = 64 * 1024;

/** With something found, a request ends here, and the next one goes on by its cursor. */
const ENOUGH_BYTES = 64 * 1024 * 1024;

/**
 * With nothing found, it ends here: half of the 10,000 other actors that a request may ask (Workers limits), and some
 * ten seconds of reading.
 */
const MOST_QUESTIONS = 5000;
const MOST_BYTES = 1024 * 1024 * 1024;

/** What a request has cost so far. */
export class QueryBudget {
  #questions = 0;
  #bytes = 0;

  spend(readBytes: number): void {
    this.#questions += 1;
    this.#bytes += Math.max(readBytes, LEAST_BYTES_PER_QUESTION);
  }

  get isEnough(): boolean {
    return this.#bytes >= ENOUGH_BYTES;
  }

  /** Refused rather than answered with an empty page: some clients take that for the end of the list. */
  check(): Result<null, Refusal> {
    if (this.#questions < MOST_QUESTIONS && this.#bytes < MOST_BYTES) return ok(null);
    const message = "This looks through too many runs at once; narrow it by session, start_time and end_time";
    return fail({ reason: "invalid", loc: ["body"], message, type: "value_error" });
  }
}
