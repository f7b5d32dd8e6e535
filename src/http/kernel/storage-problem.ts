import { actorNamedIn, STORAGE_UNAVAILABLE, storageFaultOf } from "../../../durable/protocol/storage-faults.ts";

/** The answer to a request that failed because of an actor's storage. */
export interface StorageProblem {
  /** `unavailable`: worth another try. `fault`: it is not, until the file is restored. */
  readonly status: "unavailable" | "fault";
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Translates a fault of an actor's storage [ERR-9]; null: the fault is another one. */
export const storageProblem = (fault: Error): StorageProblem | null => {
  const storage = actorNamedIn(fault) ?? "Storage of the service";
  const headers = { "Retry-After": String(STORAGE_UNAVAILABLE.retryAfterSeconds) };
  switch (storageFaultOf(fault)) {
    case "full":
      return {
        status: "unavailable",
        detail: "The storage of the service is full or failing. Make room, then send this request again.",
        headers,
      };
    case "damaged":
      return {
        status: "fault",
        detail: `${storage} is damaged. Restore the file from a copy; requests that do not need it are answered.`,
      };
    case "unknown":
      return {
        status: "unavailable",
        detail: `${storage} cannot be opened: the disk is full, the file is damaged, or the platform failed. The log of the service says which.`,
        headers,
      };
    case null:
      return null;
  }
};
