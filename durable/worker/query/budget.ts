import type { Refusal } from "../../../src/domain/shared/failures.ts";

/** What one request may cost. Every question to a shard counts at least so much, found or not. */
const MIN_BYTES_PER_QUESTION = 64 * 1024;

/** With something found, a request ends here, and the next one goes on by its cursor. */
const ENOUGH_BYTES = 64 * 1024 * 1024;

/**
 * With nothing found, it ends here: half of the 10,000 other actors that a request may ask (Workers limits), and some
 * ten seconds of reading.
 */
const MAX_FOR_NOTHING: Cost = { questions: 5000, bytes: 1024 * 1024 * 1024 };

/**
 * Where something was found on a day, this may be spent to ask the other shards of that day too, without which nobody
 * knows what comes first: what the platform leaves for the rows, and less than a minute.
 */
const MAX_FOR_SOMETHING: Cost = { questions: 9000, bytes: 4 * 1024 * 1024 * 1024 };

interface Cost {
  readonly questions: number;
  readonly bytes: number;
}

/** What a request has cost so far. */
export class QueryBudget {
  #questions = 0;
  #bytes = 0;

  spend(readBytes: number): void {
    this.#questions += 1;
    this.#bytes += Math.max(readBytes, MIN_BYTES_PER_QUESTION);
  }

  get isEnough(): boolean {
    return this.#bytes >= ENOUGH_BYTES;
  }

  /** Whether no further question may be asked, with or without anything found by the questions before it. */
  isSpent(hasFound: boolean): boolean {
    const most = hasFound ? MAX_FOR_SOMETHING : MAX_FOR_NOTHING;
    return this.#questions >= most.questions || this.#bytes >= most.bytes;
  }
}

/** Refused rather than answered with an empty page: some clients take that for the end of the list. */
export const TOO_MUCH_TO_LOOK_THROUGH: Refusal = {
  reason: "invalid",
  loc: ["body"],
  message: "This looks through too many runs at once; narrow it by session, start_time and end_time",
  type: "value_error",
};
