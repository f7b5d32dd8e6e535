/**
 * A token bucket: each request takes a token, tokens are refilled at a steady rate, and the bucket holds at most
 * `burst` of them.
 */
export interface TokenBucket {
  readonly tokens: number;
  /** When `tokens` was counted, epoch ms. */
  readonly at: number;
}

export interface Rate {
  /** Tokens refilled per second; above 0. */
  readonly perSecond: number;
  /** Most tokens that a bucket holds; at least 1. */
  readonly burst: number;
}

export interface Taking {
  readonly bucket: TokenBucket;
  /** Whole tokens: the wanted number, or all if there are fewer. */
  readonly taken: number;
  /** Time until the next token; 0 if some were taken. */
  readonly waitMs: number;
}

const SECOND_MS = 1000;

/** Takes tokens. `bucket` null: a full one. */
export function takeTokens(
  bucket: TokenBucket | null,
  { perSecond, burst }: Rate,
  wanted: number,
  now: number,
): Taking {
  const known = bucket ?? { tokens: burst, at: now };
  // A clock that went back refills nothing.
  const passedMs = Math.max(0, now - known.at);
  const tokens = Math.min(burst, known.tokens + (passedMs / SECOND_MS) * perSecond);
  const taken = Math.min(wanted, Math.floor(tokens));
  const waitMs = taken > 0 ? 0 : Math.ceil(((1 - tokens) / perSecond) * SECOND_MS);
  return { bucket: { tokens: tokens - taken, at: now }, taken, waitMs };
}

/** Tokens that a Worker takes at once and spends one by one: a small part of the burst size. */
export const batchSizeOf = ({ burst }: Rate): number => Math.max(1, Math.min(MAX_AT_ONCE, Math.floor(burst / 100)));

const MAX_AT_ONCE = 10;
