import { createDurable } from "itty-durable/itty-durable.js";
import { type Rate, type TokenBucket, takeTokens } from "../../src/domain/shared/token-bucket.ts";
import type { Tokens } from "../protocol/rate-limiter.ts";

/**
 * Counts the requests of one API key: `limit/<SHA-256 of the key>`. The count is in memory only; when it is lost, some
 * requests are admitted beyond the limit.
 */
export class RateLimiter extends createDurable() {
  bucket: TokenBucket | null = null;

  constructor(ctx: DurableObjectState) {
    // The base class copies its arguments onto the object, so it gets neither the context nor the environment.
    super({ storage: ctx.storage }, {});
  }

  take(rate: Rate, wanted: number): Tokens {
    const { bucket, ...tokens } = takeTokens(this.bucket, rate, wanted, Date.now());
    this.bucket = bucket;
    return tokens;
  }
}
