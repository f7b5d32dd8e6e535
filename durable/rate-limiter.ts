import { createDurable } from "itty-durable/itty-durable.js";
import { type Rate, type TokenBucket, takeToken } from "../src/domain/token-bucket.ts";

/** What was decided about a request. `waitMs` 0: it may go on; else the time until the next one may. */
export interface RateVerdict {
  readonly waitMs: number;
}

export interface RateLimiterProtocol {
  take(rate: Rate): Promise<RateVerdict>;
}

/**
 * Counts the requests of one API key: `limit/<SHA-256 of the key>`. The count lives in memory only and may be lost, and
 * with it some wrongly admitted requests; nothing of it is ever stored.
 */
export class RateLimiter extends createDurable() {
  bucket: TokenBucket | null = null;

  constructor(ctx: DurableObjectState) {
    // The base class writes all that it is given onto one object: it is given neither the context nor the environment.
    super({ storage: ctx.storage }, {});
  }

  take(rate: Rate): RateVerdict {
    const taking = takeToken(this.bucket, rate, Date.now());
    this.bucket = taking.bucket;
    return { waitMs: taking.taken ? 0 : taking.waitMs };
  }
}
