import { rateLimiter } from "../../durable/actors.ts";
import type { Env } from "../../durable/env.ts";
import { readSettings } from "../settings.ts";
import type { RequestFailure } from "./problems.ts";

/** Why a request comes too early, or null when it may go on. A limiter that is out of reach lets everybody pass. */
export const refuseRush = async (env: Env, keyHash: string): Promise<RequestFailure | null> => {
  const { rate } = readSettings(env);
  try {
    const { waitMs } = await rateLimiter(env, keyHash).take(rate);
    return waitMs === 0 ? null : { reason: "rate_limited", rate, waitMs };
  } catch {
    return null;
  }
};
