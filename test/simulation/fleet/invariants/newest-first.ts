import type { RevisionStatus } from "../../../../src/domain/deployment/revision-status.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";

const WAITING: readonly RevisionStatus[] = ["QUEUED", "AWAITING_BUILD", "AWAITING_DEPLOY", "INTERRUPTED"];

/** Statuses that a revision keeps. */
const FINAL: readonly RevisionStatus[] = ["CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "SKIPPED"];

/** A newer revision is deployed before an older one, and a final status does not change. */
export const newestFirst: FleetInvariant = {
  name: "newest-first",
  promise:
    "No work begins on a revision while a newer one waits; a revision is SKIPPED only if there is a newer one; a final status never changes.",
  watch: ({ ledger }, violated) => ({
    onLine: ({ of, actor, event }) => {
      if (of !== "DEPLOYMENT") return;
      if (event.type !== "LeaseTaken" && event.type !== "RevisionMoved") return;
      const revision = ledger.revisions.get(event.revisionId);
      if (revision === undefined)
        return violated(`${actor.name} has an event of ${event.revisionId}, which it does not have`);
      const newer = ledger.revisionsOf(actor).slice(revision.ordinal + 1);
      if (event.type === "LeaseTaken") {
        if (newer.some(({ status }) => WAITING.includes(status)))
          violated(`${actor.name} begins revision ${revision.ordinal} while a newer one waits`);
        return;
      }
      const { status } = revision;
      const { to } = event;
      if (FINAL.includes(status) || (status === "DEPLOYED" && to !== "UNKNOWN"))
        violated(`${actor.name} moves revision ${revision.ordinal} from ${status} to ${to}`);
      if (to === "SKIPPED" && newer.length === 0) violated(`${actor.name} skips its newest revision`);
    },
  }),
};
