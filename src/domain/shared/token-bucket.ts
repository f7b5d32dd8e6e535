/**
 * A token bucket: requests take a token each, tokens come back at a steady rate, and what was saved up, `burst` at
 * most, may be spent at once.
 */
export interface TokenBucket {
  readonly tokens: number;
  /** When `tokens` was counted, epoch ms. */
  readonly at: number;
}

export interface Rate {
  /** Tokens that come back in a second; above 0. */
  readonly perSecond: number;
  /** Most tokens that a bucket holds; at least 1. */
  readonly burst: number;
}

export interface Taking {
  readonly bucket: TokenBucket;
  /** Whole tokens, as many as were wanted or as there were. */
  readonly taken: number;
  /** Until the next token is there; 0 when some were taken. */
  readonly waitMs: number;
}

const SECOND_MS = 1000;

/** Takes tokens. `bucket` null: nobody took any yet, or it was forgotten; then it is full. */
export function takeTokens(
  bucket: TokenBucket | null,
  { perSecond, burst }: Rate,
  wanted: number,
  now: number,
): Taking {
  const known = bucket ?? { tokens: burst, at: now };
  // A clock that went back gives nothing and takes nothing.
  const passedMs = Math.max(0, now - known.at);
  const tokens = Math.min(burst, known.tokens + (passedMs / SECOND_MS) * perSecond);
  const taken = Math.min(wanted, Math.floor(tokens));
  const waitMs = taken > 0 ? 0 : Math.ceil(((1 - tokens) / perSecond) * SECOND_MS);
  return { bucket: { tokens: tokens - taken, at: now }, taken, waitMs };
}

/** Tokens that somebody far from the bucket takes at once, to spend them one by one: few enough to be missed nowhere. */
export const handfulOf = ({ burst }: Rate): number => Math.max(1, Math.min(MAX_AT_ONCE, Math.floor(burst / 100)));

const MAX_AT_ONCE = 10;
