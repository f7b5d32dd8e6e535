import type { Capacity } from "./shard.ts";

/** About the time to seal a full shard (src/settings.ts); also what the SDK waits by default. */
const RETRY_AFTER_SECONDS = 10;

export const TOO_MANY_HOT_CHANGES: Capacity = {
  reason: "capacity",
  message:
    "Traces of this project and day arrive faster than they are sealed. Nothing was stored: send this request again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** By then a run in transit has arrived, and its unrouted changes were delivered. */
const RUN_ARRIVAL_SECONDS = 60;

export const TOO_MANY_UNROUTED_CHANGES: Capacity = {
  reason: "capacity",
  message:
    "Too many patches and feedback wait for runs that have not arrived. Nothing was stored: send the runs, then this request again.",
  retryAfterSeconds: RUN_ARRIVAL_SECONDS,
};

export const STORAGE_UNAVAILABLE: Capacity = {
  reason: "unavailable",
  message:
    "The storage of the service is full or failing. Nothing of this request was stored: make room, then send it again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/**
 * `full`: the disk is full, or the machine has no memory. `damaged`: a file is not a valid SQLite file. `unknown`: the
 * platform does not say; it has logged the cause.
 */
export type StorageFault = "full" | "damaged" | "unknown";

/** The storage fault in an error; null: the error is another one. */
export const storageFaultOf = (fault: unknown): StorageFault | null => {
  const text = String(fault);
  if (/SQLITE_(FULL|IOERR|NOMEM)/.test(text)) return "full";
  if (/SQLITE_(CORRUPT|NOTADB)/.test(text)) return "damaged";
  return /internal error; reference = /.test(text) ? "unknown" : null;
};

/** Whether the disk is full or failing, or memory exhausted. */
export const isStorageFault = (fault: unknown): boolean => storageFaultOf(fault) === "full";

/** Start of the message of a fault with the name of its actor. */
const NAMED = /Storage of \S+ \(\w+\.sqlite\): /;

/** The actor in the message of a fault: `Storage of <name> (<id>.sqlite)`; null: there is none. */
export const actorNamedIn = (fault: unknown): string | null => NAMED.exec(String(fault))?.[0].slice(0, -2) ?? null;

/** Adds the name of the actor and of its file to a storage fault; other errors are returned unchanged. */
export const withActorNamed = (fault: unknown, { name, id }: DurableObjectStub): unknown => {
  if (storageFaultOf(fault) === null || actorNamedIn(fault) !== null) return fault;
  const message = fault instanceof Error ? fault.message : String(fault);
  return new Error(`Storage of ${name} (${id}.sqlite): ${message}`, { cause: fault });
};
