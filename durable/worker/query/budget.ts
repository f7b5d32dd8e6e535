import type { Refusal } from "../../../src/domain/shared/failures.ts";

/** Minimum cost of a query to a shard. */
const MIN_BYTES_PER_QUESTION = 64 * 1024;

/** A request that has found something ends here; the next one continues by its cursor [LIM-28]. */
const ENOUGH_BYTES = 64 * 1024 * 1024;

/**
 * A request that has found nothing ends here: half of the 10,000 subrequests that the platform allows
 * (Cloudflare: Workers limits), and some ten seconds of reading [LIM-28].
 */
const MAX_COST_WITHOUT_HITS: Cost = { questions: 5000, bytes: 1024 * 1024 * 1024 };

/**
 * With hits on a day, this may be spent on the other shards of the same day: without them the order is not known. It
 * leaves subrequests for reading the rows, and takes less than a minute [LIM-28].
 */
const MAX_COST_WITH_HITS: Cost = { questions: 9000, bytes: 4 * 1024 * 1024 * 1024 };

interface Cost {
  readonly questions: number;
  readonly bytes: number;
}

/** Cost of a request so far. */
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

  /** Whether the budget is spent. `hasFound`: whether earlier queries had hits. */
  isSpent(hasFound: boolean): boolean {
    const max = hasFound ? MAX_COST_WITH_HITS : MAX_COST_WITHOUT_HITS;
    return this.#questions >= max.questions || this.#bytes >= max.bytes;
  }
}

/** Refused instead of an empty page: some clients would take that for the end of the list. */
export const SEARCH_TOO_WIDE: Refusal = {
  reason: "invalid",
  loc: ["body"],
  message: "This query searches too many runs; narrow it by session, start_time and end_time",
  type: "value_error",
};
