import { rateLimiter } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import { handfulOf } from "../../domain/shared/token-bucket.ts";
import { readSettings } from "../../settings.ts";
import type { RequestFailure } from "./problems.ts";

/** Tokens of a key that this isolate has taken and not spent yet. */
interface Purse {
  tokens: number;
  /** Until when somebody is thought to fill it: a request whose client leaves is cut off, and never says that it ended. */
  filledUntil: number;
}

/**
 * By hash of the key. The limiter is asked once for a handful of requests, so that ingest does not pay for the question
 * with each one; a token is spent once all the same, and what an isolate takes with it into its end is few.
 */
const purses = new Map<string, Purse>();

/** Longest answer of the limiter that the others leave the filling to. */
const MAX_FILLING_MS = 2000;

/** Keys of one isolate: some megabytes at most. */
const MAX_PURSES = 10_000;

/** Why a request comes too early, or null when it may go on. A limiter that is out of reach lets everybody pass. */
export const refuseRush = async (env: Env, keyHash: string): Promise<RequestFailure | null> => {
  const { rateLimitPerSecond, rateLimitBurst } = readSettings(env);
  const rate = { perSecond: rateLimitPerSecond, burst: rateLimitBurst };
  const purse = purseOf(keyHash);
  if (purse.tokens > 0) {
    purse.tokens -= 1;
    return null;
  }
  // Requests do not wait for each other's answers: those that come meanwhile ask for themselves alone.
  const now = Date.now();
  const fills = purse.filledUntil <= now;
  if (fills) purse.filledUntil = now + MAX_FILLING_MS;
  try {
    const { taken, waitMs } = await rateLimiter(env, keyHash).take(rate, fills ? handfulOf(rate) : 1);
    if (taken === 0) return { reason: "rate_limited", rate, waitMs };
    purse.tokens += taken - 1;
    return null;
  } catch {
    return null;
  } finally {
    if (fills) purse.filledUntil = 0;
  }
};

const purseOf = (keyHash: string): Purse => {
  const known = purses.get(keyHash);
  if (known !== undefined) return known;
  if (purses.size >= MAX_PURSES) purses.clear();
  const empty = { tokens: 0, filledUntil: 0 };
  purses.set(keyHash, empty);
  return empty;
};
