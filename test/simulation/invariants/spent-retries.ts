import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import type { StoreFailureReason } from "../../../src/domain/shared/failures.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** Consecutive crashes of one step, each without progress, that count as a failure [XRN-12]. */
const CRASHES_THAT_COUNT = 3;

interface Account {
  failures: number;
  /** Whether an attempt is running. */
  isTrying: boolean;
  /** Whether the step has recorded finished work since it began. */
  hasProgressed: boolean;
  consecutiveCrashes: number;
  /** Faults of the store for the export plus crashes of the actor, at its last store failure. Each may cause one failure. */
  causesBefore: number;
  /** Reason of the last store failure. */
  lastReason: StoreFailureReason | null;
}

/** Each failure uses one retry, nothing else uses one, and the limit is respected. */
export const spentRetries: Invariant = {
  name: "spent-retries",
  promise:
    "Each counted retry is a failure with a cause, and there are at most MAX_RETRIES; a crash uses no retry unless a step crashes three times in a row, each time without progress.",
  watch: (world, violated) => {
    const maxRetries = Number(world.scenario.settings.MAX_RETRIES);
    const accounts = new Map<Actor, Account>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT_RUN") return;
        const account = accounts.get(actor) ?? {
          failures: 0,
          isTrying: false,
          hasProgressed: false,
          consecutiveCrashes: 0,
          causesBefore: 0,
          lastReason: null,
        };
        accounts.set(actor, account);
        const [, exportId = ""] = actor.name.split("/");
        const causes = (world.bucket.troubles.get(exportId) ?? 0) + actor.deaths;
        if (event.type === "AttemptFailed" && event.failure.reason === "store") {
          const { reason } = event.failure.store;
          // A lost upload may cause two failures: the check of an earlier Complete can fail for another reason first.
          const isHidden = reason === "no_such_upload" && account.lastReason !== "no_such_upload";
          if (causes === account.causesBefore && !isHidden)
            violated(`${actor.name} reports a failure of the store, which had no fault since the last one`);
          account.causesBefore = causes;
          account.lastReason = reason;
        }
        const problem = enter(account, event, maxRetries);
        if (problem !== null) violated(`${actor.name} ${problem}`);
      },
    };
  },
};

function enter(account: Account, event: ExportRunEvent, maxRetries: number): string | null {
  switch (event.type) {
    case "AttemptStarted":
      account.isTrying = true;
      account.consecutiveCrashes = 0;
      return event.retry === account.failures ? null : `counts retry ${event.retry} after ${account.failures} failures`;
    case "StepBegan":
      account.hasProgressed = false;
      return null;
    case "StepCrashed":
      account.consecutiveCrashes = account.hasProgressed ? 0 : account.consecutiveCrashes + 1;
      return null;
    case "SnapshotTaken":
    case "SegmentDerived":
    case "FilesPlanned":
    case "UploadOpened":
    case "PartUploaded":
    case "FileCommitted":
      account.consecutiveCrashes = 0;
      account.hasProgressed = true;
      return null;
    case "AttemptFailed": {
      const { reason } = event.failure;
      if (!account.isTrying) return "counts a failure without an attempt";
      account.isTrying = false;
      account.failures += 1;
      if (reason === "destination_deleted") return "retries although its destination was deleted";
      if (reason === "crashed" && account.consecutiveCrashes < CRASHES_THAT_COUNT)
        return `uses a retry after ${account.consecutiveCrashes} crashes`;
      return account.failures <= maxRetries ? null : `uses retry ${account.failures} of ${maxRetries}`;
    }
    case "RunFailed":
      return event.retry === account.failures
        ? null
        : `fails at retry ${event.retry} after ${account.failures} failures`;
    default:
      return null;
  }
}
