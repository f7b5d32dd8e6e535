import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import type { StoreFailureReason } from "../../../src/domain/shared/failures.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** Deaths of one step in a row that are no accident any more [XRN-12]. */
const DEATHS_THAT_COUNT = 3;

interface Account {
  failures: number;
  /** Whether an attempt is under way that can fail. */
  isTrying: boolean;
  deathsInARow: number;
  /** Troubles of its export with the store, and deaths of its own, when it last blamed the store: each counts once. */
  troublesBefore: number;
  /** Why it last blamed the store. */
  blamed: StoreFailureReason | null;
}

/** A retry is spent by a failure, by nothing else, and only as many as there are. */
export const spentRetries: Invariant = {
  name: "spent-retries",
  promise:
    "Retries counted are failures that spend one and have a cause, at most MAX_RETRIES; the death of a process spends none unless a step dies three times in a row.",
  watch: (world, violated) => {
    const most = Number(world.scenario.settings.MAX_RETRIES);
    const accounts = new Map<Actor, Account>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT_RUN") return;
        const account = accounts.get(actor) ?? {
          failures: 0,
          isTrying: false,
          deathsInARow: 0,
          troublesBefore: 0,
          blamed: null,
        };
        accounts.set(actor, account);
        const [, exportId = ""] = actor.name.split("/");
        const troubles = (world.bucket.troubles.get(exportId) ?? 0) + actor.deaths;
        if (event.type === "AttemptFailed" && event.failure.reason === "store") {
          const { reason } = event.failure.store;
          // A lost upload may show twice: the look for what an earlier Complete did met another trouble, blamed first.
          const isHidden = reason === "no_such_upload" && account.blamed !== "no_such_upload";
          if (troubles === account.troublesBefore && !isHidden)
            violated(`${actor.name} blames a store that did nothing wrong since`);
          account.troublesBefore = troubles;
          account.blamed = reason;
        }
        const problem = enter(account, event, most);
        if (problem !== null) violated(`${actor.name} ${problem}`);
      },
    };
  },
};

function enter(account: Account, event: ExportRunEvent, most: number): string | null {
  switch (event.type) {
    case "AttemptStarted":
      account.isTrying = true;
      account.deathsInARow = 0;
      return event.retry === account.failures ? null : `counts retry ${event.retry} after ${account.failures} failures`;
    case "StepCrashed":
      account.deathsInARow += 1;
      return null;
    case "SnapshotTaken":
    case "SegmentDerived":
    case "FilesPlanned":
    case "UploadOpened":
    case "PartUploaded":
    case "FileCommitted":
      account.deathsInARow = 0;
      return null;
    case "AttemptFailed": {
      const { reason } = event.failure;
      if (!account.isTrying) return "counts a failure of no attempt";
      account.isTrying = false;
      account.failures += 1;
      if (reason === "destination_deleted") return "tries again though its destination is gone";
      if (reason === "crashed" && account.deathsInARow < DEATHS_THAT_COUNT)
        return `spends a retry on ${account.deathsInARow} deaths`;
      return account.failures <= most ? null : `spends retry ${account.failures} of ${most}`;
    }
    case "RunFailed":
      return event.retry === account.failures
        ? null
        : `fails at retry ${event.retry} after ${account.failures} failures`;
    default:
      return null;
  }
}
