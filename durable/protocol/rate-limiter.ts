import type { Rate, Taking } from "../../src/domain/shared/token-bucket.ts";

export interface RateLimiterProtocol {
  /** Takes as many tokens as wanted, or as there are. Each permits one request. */
  take(rate: Rate, wanted: number): Promise<Tokens>;
}

export type Tokens = Omit<Taking, "bucket">;
