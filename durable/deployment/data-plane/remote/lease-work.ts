import type { ListenerReport } from "../../../../src/domain/deployment/lease.ts";
import { LEASE_MS } from "../../../../src/domain/deployment/limits.ts";
import { isAtWork } from "../../../../src/domain/deployment/revision-status.ts";
import { recordOf } from "../../../../src/domain/deployment/view.ts";
import type { Refusal } from "../../../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../../../src/domain/shared/result.ts";
import type { Offer } from "../../../protocol/listener.ts";
import { agentOf } from "../agent.ts";
import { environmentOf, SECRETS_LOST } from "../agent-environment.ts";
import type { DeploymentLog } from "../deployment-log.ts";

/** The answers of a deployment to its listener: its part of LeaseProtocol. */

const LEASE_SECONDS = LEASE_MS / 1000;

/** Leases the revision that waits for work to the listener, which polled at `heardAt`. */
export async function offerWork(log: DeploymentLog, listenerId: string, heardAt: number): Promise<Offer | null> {
  log.submit({ type: "Wake" });
  log.submit({ type: "RecordPoll", heardAt });
  const leaseId = crypto.randomUUID();
  const taken = log.submit({ type: "TakeLease", listenerId, leaseId });
  const state = log.state();
  if (!taken.ok || state.status !== "ACTIVE") return null;
  const servingRevisionId = state.activeId;
  const revision = state.revisions.find((one) => one.leaseId === leaseId);
  if (revision === undefined) return { work: null, servingRevisionId };
  const environment = await environmentOf(log.env, agentOf(state, revision));
  if (environment === null) {
    log.submit({ type: "RecordFailure", revisionId: revision.id, failure: SECRETS_LOST });
    return { work: null, servingRevisionId };
  }
  const work = { leaseId, leaseSeconds: LEASE_SECONDS, revision: recordOf(state, revision), environment };
  return { work, servingRevisionId };
}

/** Records a report of the listener. */
export function takeReport(
  log: DeploymentLog,
  listenerId: string,
  report: ListenerReport,
): Result<{ readonly leaseSeconds: number }, Refusal> {
  const decided = log.submit({ type: "RecordListenerReport", listenerId, report });
  return decided.ok ? ok({ leaseSeconds: LEASE_SECONDS }) : decided;
}

/** Records that the listener is silent. */
export function takeSilence(log: DeploymentLog): boolean {
  log.submit({ type: "RecordListenerSilence" });
  const state = log.state();
  return state.status === "ACTIVE" && state.revisions.some(({ status }) => isAtWork(status));
}
