import type { Capacity } from "./shard.ts";

/** Sealing what is hot at most takes about as long (src/settings.ts), and the SDK waits as long when nothing is said. */
const RETRY_AFTER_SECONDS = 10;

export const TOO_MUCH_HOT: Capacity = {
  reason: "capacity",
  message: "Traces of this project and day come faster than they are sealed. Nothing of this was lost: send it again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** A run that is on its way has come by then, and what waited for it has gone home. */
const RUNS_AWAITED_SECONDS = 60;

export const TOO_MUCH_PARKED: Capacity = {
  reason: "capacity",
  message:
    "Too many patches and feedback wait for runs that have not come. Nothing of this was lost: send their runs, then this again.",
  retryAfterSeconds: RUNS_AWAITED_SECONDS,
};

export const NO_STORAGE: Capacity = {
  reason: "capacity",
  message: "Storage takes no traces at the moment. Send this again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** What SQLite says when disk or memory are at an end or do not answer; anything else is a fault of ours. */
export const isStorageFault = (fault: unknown): boolean => /SQLITE_(FULL|IOERR|NOMEM)/.test(String(fault));
