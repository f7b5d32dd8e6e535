import type { CheckReport } from "../../src/domain/destination/check.ts";
import { keyPrefixOf } from "../../src/domain/destination/layout.ts";
import type { Credentials, DestinationConfig } from "../../src/domain/destination/records.ts";
import type { StoreFailure } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import { Deadline } from "../../src/net/deadline.ts";
import { probe } from "../../src/store/probe.ts";
import type { Env } from "../protocol/env.ts";
import { openStore } from "../secrets/open-bucket.ts";

/** A client waits for the answer, so all requests of a check end within this time [LIM-48]. */
const CHECK_LIMIT_MS = 15_000;

/**
 * Checks a bucket [DST-11]. A store that names another region is asked once more with that region. Nothing is stored
 * here.
 */
export async function checkBucket(
  env: Env,
  config: DestinationConfig,
  credentials: Credentials,
  limitMs = CHECK_LIMIT_MS,
): Promise<Result<CheckReport, StoreFailure>> {
  const deadline = new Deadline(limitMs);
  const probeIn = async (region: string | null): Promise<Result<CheckReport, StoreFailure>> => {
    const store = openStore(env, { ...config, region }, credentials, { signal: deadline.signal });
    return store.ok ? probe(store.value, { prefix: keyPrefixOf(config), name: crypto.randomUUID() }) : store;
  };
  try {
    const first = await probeIn(config.region);
    const named = first.ok ? undefined : first.failure.wantedRegion;
    return named === undefined || named === config.region ? first : await probeIn(named);
  } finally {
    deadline.clear();
  }
}
