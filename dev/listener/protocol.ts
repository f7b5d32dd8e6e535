import { setTimeout } from "node:timers/promises";
import { type ApiAccess, ask } from "../api.ts";
import { PassingFailure } from "../failure.ts";

/** A revision to be run, with the right to do so. */
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

/** The listener of this compute id: a new one, or the one that is there. */
export const findListener = async (api: ApiAccess, computeId: string): Promise<string> => {
  const { resources } = await ask<{ resources: { id: string; compute_id: string }[] }>(api, "GET", LISTENERS);
  const known = resources.find((one) => one.compute_id === computeId);
  if (known !== undefined) return known.id;
  const body = { compute_type: "k8s", compute_id: computeId };
  return (await ask<{ id: string }>(api, "POST", LISTENERS, body)).id;
};

export const poll = (api: ApiAccess, listenerId: string): Promise<Poll> =>
  ask(api, "POST", `${LISTENERS}/${listenerId}/poll`);

const SAY_AGAIN_MS = 1000;

/**
 * Says how far the work is, which renews the lease; false: nobody took it, and the work is to be given up. What was not
 * heard is said again as long as the lease lasts and it is wanted: saying it twice is harmless, and who was heard must
 * not give up.
 */
export const report = async (
  api: ApiAccess,
  listenerId: string,
  work: Work,
  said: Report,
  isWanted: () => boolean,
): Promise<boolean> => {
  const path = `${LISTENERS}/${listenerId}/revisions/${work.revision_id}/status`;
  const body = { deployment_id: work.deployment_id, lease_id: work.lease_id, ...said };
  for (const until = Date.now() + work.lease_seconds * 1000; ; await setTimeout(SAY_AGAIN_MS)) {
    try {
      await ask(api, "POST", path, body);
      return true;
    } catch (failure) {
      if (!(failure instanceof PassingFailure) || !isWanted() || Date.now() >= until) return false;
    }
  }
};
