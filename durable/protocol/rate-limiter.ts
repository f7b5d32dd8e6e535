import type { Rate, Taking } from "../../src/domain/shared/token-bucket.ts";

export interface RateLimiterProtocol {
  /** Takes the wanted number of tokens, or all if there are fewer. Each permits one request. */
  take(rate: Rate, wanted: number): Promise<Tokens>;
}

export type Tokens = Omit<Taking, "bucket">;
