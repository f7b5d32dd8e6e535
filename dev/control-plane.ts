import { type ApiAccess, ask } from "./api.ts";
import { DevFailure } from "./failure.ts";

/** The members of a deployment that the tools of this repository use. */
export interface DeploymentAnswer {
  readonly id: string;
  readonly name: string;
  readonly latest_revision_id: string;
  readonly active_revision_id: string | null;
  readonly url: string | null;
}

export interface RevisionAnswer {
  readonly id: string;
  readonly status: string;
  readonly failure: { readonly reason: string; readonly message: string } | null;
}

const DEPLOYMENTS = "/v2/deployments";
const SETTLED = ["DEPLOYED", "CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "SKIPPED"];

/** Uploads a .tar.gz and returns its source_tarball_path. */
export const uploadSource = async (api: ApiAccess, tarball: Uint8Array<ArrayBuffer>): Promise<string> => {
  const upload = await ask<{ upload_url: string; object_path: string }>(api, "POST", `${DEPLOYMENTS}/upload-url`);
  const headers = { "Content-Type": "application/gzip" };
  const answer = await fetch(upload.upload_url, { method: "PUT", headers, body: tarball });
  if (!answer.ok) throw new DevFailure(`The upload was answered with ${answer.status}: ${await answer.text()}`);
  return upload.object_path;
};

/** Creates a deployment [DEP-1]. */
export const createDeployment = (api: ApiAccess, body: object): Promise<DeploymentAnswer> =>
  ask(api, "POST", DEPLOYMENTS, body);

export const readDeployment = (api: ApiAccess, id: string): Promise<DeploymentAnswer> =>
  ask(api, "GET", `${DEPLOYMENTS}/${id}`);

export const patchDeployment = (api: ApiAccess, id: string, body: object): Promise<DeploymentAnswer> =>
  ask(api, "PATCH", `${DEPLOYMENTS}/${id}`, body);

export const redeploy = (api: ApiAccess, id: string, revisionId: string): Promise<DeploymentAnswer> =>
  ask(api, "POST", `${DEPLOYMENTS}/${id}/revisions/${revisionId}/redeploy`);

export const listRevisions = async (api: ApiAccess, id: string): Promise<readonly RevisionAnswer[]> =>
  (await ask<{ resources: RevisionAnswer[] }>(api, "GET", `${DEPLOYMENTS}/${id}/revisions`)).resources;

/** The statuses that a revision has had, in order, from the events of its deployment. */
export const readStatuses = async (api: ApiAccess, id: string, revisionId: string): Promise<readonly string[]> => {
  const { events } = await ask<{ events: EventAnswer[] }>(api, "GET", `${DEPLOYMENTS}/${id}/events?limit=1000`);
  return events.flatMap(({ type, data }) =>
    type === "RevisionMoved" && data.revision_id === revisionId ? (data.status ?? []) : [],
  );
};

interface EventAnswer {
  readonly type: string;
  readonly data: { readonly revision_id?: string; readonly status?: string };
}

/** Polls the latest revision until its status is final. Calls `onPoll` after each poll. */
export const untilSettled = async (
  api: ApiAccess,
  { id, latest_revision_id }: DeploymentAnswer,
  pollIntervalMs: number,
  onPoll: (status: string) => void = () => {},
): Promise<RevisionAnswer> => {
  for (;;) {
    const revision = await ask<RevisionAnswer>(api, "GET", `${DEPLOYMENTS}/${id}/revisions/${latest_revision_id}`);
    onPoll(revision.status);
    if (SETTLED.includes(revision.status)) return revision;
    await new Promise((resume) => setTimeout(resume, pollIntervalMs));
  }
};
