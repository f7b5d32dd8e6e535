import { setTimeout } from "node:timers/promises";
import { type ApiAccess, ask } from "../api.ts";
import { TransientFailure } from "../failure.ts";

/** A revision to run, with the lease that allows it. */
export interface Work {
  readonly deployment_id: string;
  readonly revision_id: string;
  readonly name: string;
  readonly lease_id: string;
  readonly lease_seconds: number;
  readonly status: "BUILDING" | "DEPLOYING";
  readonly image_uri: string | null;
  readonly repo_url: string | null;
  readonly env: Readonly<Record<string, string>>;
}

export interface Poll {
  readonly work: readonly Work[];
  readonly serving: readonly { readonly revision_id: string }[];
  readonly poll_after_seconds: number;
}

export interface Report {
  readonly status: "BUILDING" | "DEPLOYING" | "DEPLOYED" | "BUILD_FAILED" | "DEPLOY_FAILED";
  readonly reason?: string;
  readonly url?: string;
}

const LISTENERS = "/v2/listeners";

/** Id of the listener with this compute id, which is created if it does not exist. */
export const findListener = async (api: ApiAccess, computeId: string): Promise<string> => {
  const { resources } = await ask<{ resources: { id: string; compute_id: string }[] }>(api, "GET", LISTENERS);
  const known = resources.find((one) => one.compute_id === computeId);
  if (known !== undefined) return known.id;
  const body = { compute_type: "k8s", compute_id: computeId };
  return (await ask<{ id: string }>(api, "POST", LISTENERS, body)).id;
};

export const poll = (api: ApiAccess, listenerId: string): Promise<Poll> =>
  ask(api, "POST", `${LISTENERS}/${listenerId}/poll`);

const RETRY_MS = 1000;

/**
 * Reports the status of the work, which renews the lease. false: the service did not accept it, and the work must stop.
 * A report without an answer is repeated while the lease lasts and `isWanted` holds. Repeating is safe: a report that
 * was processed without an answer is accepted again.
 */
export const report = async (
  api: ApiAccess,
  listenerId: string,
  work: Work,
  status: Report,
  isWanted: () => boolean,
): Promise<boolean> => {
  const path = `${LISTENERS}/${listenerId}/revisions/${work.revision_id}/status`;
  const body = { deployment_id: work.deployment_id, lease_id: work.lease_id, ...status };
  for (const until = Date.now() + work.lease_seconds * 1000; ; await setTimeout(RETRY_MS)) {
    try {
      await ask(api, "POST", path, body);
      return true;
    } catch (failure) {
      if (!(failure instanceof TransientFailure) || !isWanted() || Date.now() >= until) return false;
    }
  }
};
