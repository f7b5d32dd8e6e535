import { rateLimiter } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import { batchSizeOf } from "../../domain/shared/token-bucket.ts";
import { readSettings } from "../../settings.ts";
import type { RequestFailure } from "./problems.ts";

/** Tokens of a key that this isolate has taken from the limiter and not used yet. */
interface TokenCache {
  tokens: number;
  /** Epoch milliseconds; until then a request is refilling the cache. Bounded, because a cancelled request never ends. */
  refillingUntil: number;
}

/**
 * By hash of the key. One call to the limiter takes tokens for several requests, so that ingest does not pay for a call
 * with each request. Each token is used once. Tokens that are lost when the isolate ends are few.
 */
const caches = new Map<string, TokenCache>();

/** Time after which another request may refill the cache. */
const MAX_REFILL_MS = 2000;

/** Keys of one isolate: a few megabytes at most. */
const MAX_CACHES = 10_000;

/** Why a request exceeds the rate limit; null: it does not. All requests pass if the limiter cannot be reached. */
export const checkRate = async (env: Env, keyHash: string): Promise<RequestFailure | null> => {
  const { rateLimitPerSecond, rateLimitBurst } = readSettings(env);
  const rate = { perSecond: rateLimitPerSecond, burst: rateLimitBurst };
  const cache = cacheOf(keyHash);
  if (cache.tokens > 0) {
    cache.tokens -= 1;
    return null;
  }
  // Requests do not wait for the refill of another one: during a refill each takes one token.
  const now = Date.now();
  const refills = cache.refillingUntil <= now;
  if (refills) cache.refillingUntil = now + MAX_REFILL_MS;
  try {
    const { taken, waitMs } = await rateLimiter(env, keyHash).take(rate, refills ? batchSizeOf(rate) : 1);
    if (taken === 0) return { reason: "rate_limited", rate, waitMs };
    cache.tokens += taken - 1;
    return null;
  } catch {
    return null;
  } finally {
    if (refills) cache.refillingUntil = 0;
  }
};

const cacheOf = (keyHash: string): TokenCache => {
  const known = caches.get(keyHash);
  if (known !== undefined) return known;
  if (caches.size >= MAX_CACHES) caches.clear();
  const empty = { tokens: 0, refillingUntil: 0 };
  caches.set(keyHash, empty);
  return empty;
};
