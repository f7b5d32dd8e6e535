import { createDurable } from "itty-durable/itty-durable.js";
import { type Rate, type TokenBucket, takeTokens } from "../../src/domain/shared/token-bucket.ts";
import type { Tokens } from "../protocol/rate-limiter.ts";

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

  take(rate: Rate, wanted: number): Tokens {
    const { bucket, ...tokens } = takeTokens(this.bucket, rate, wanted, Date.now());
    this.bucket = bucket;
    return tokens;
  }
}
