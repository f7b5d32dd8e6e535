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

/** What became of a request that asked for a token. */
export type Taking =
  | { readonly taken: true; readonly bucket: TokenBucket }
  /** `waitMs`: until the next token is there. */
  | { readonly taken: false; readonly bucket: TokenBucket; readonly waitMs: number };

const SECOND_MS = 1000;

/** Takes one token. `bucket` null: nobody took one yet, or it was forgotten; then it is full. */
export function takeToken(bucket: TokenBucket | null, { perSecond, burst }: Rate, now: number): Taking {
  const known = bucket ?? { tokens: burst, at: now };
  // A clock that went back gives nothing and takes nothing.
  const passedMs = Math.max(0, now - known.at);
  const tokens = Math.min(burst, known.tokens + (passedMs / SECOND_MS) * perSecond);
  if (tokens >= 1) return { taken: true, bucket: { tokens: tokens - 1, at: now } };
  return { taken: false, bucket: { tokens, at: now }, waitMs: Math.ceil(((1 - tokens) / perSecond) * SECOND_MS) };
}
