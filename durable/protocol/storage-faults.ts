import type { Capacity } from "./shard.ts";

/** About the time to seal a full shard (src/settings.ts); also what the SDK waits by default. */
const RETRY_AFTER_SECONDS = 10;

export const TOO_MANY_HOT_CHANGES: Capacity = {
  reason: "capacity",
  message:
    "Traces of this project and day arrive faster than they are sealed. Nothing was stored: send this request again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** A run that is under way has arrived by then, and its unrouted changes were delivered. */
const RUN_ARRIVAL_SECONDS = 60;

export const TOO_MANY_UNROUTED_CHANGES: Capacity = {
  reason: "capacity",
  message:
    "Too many patches and feedback wait for runs that have not arrived. Nothing was stored: send the runs, then this request again.",
  retryAfterSeconds: RUN_ARRIVAL_SECONDS,
};

export const STORAGE_UNAVAILABLE: Capacity = {
  reason: "capacity",
  message: "Storage is unavailable at the moment. Nothing was stored: send this request again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** SQLite's errors for a full or failing disk and for exhausted memory; anything else is our own fault. */
export const isStorageFault = (fault: unknown): boolean => /SQLITE_(FULL|IOERR|NOMEM)/.test(String(fault));
