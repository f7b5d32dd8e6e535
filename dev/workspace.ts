import { DevFailure } from "./failure.ts";

/** A workspace of the local service and a key with the role `manage`. */
export interface DevWorkspace {
  readonly workspaceId: string;
  readonly apiKey: string;
}

/**
 * Whether the service still knows the workspace: its state may have been deleted without waybill.json. false only after
 * 401. Throws a DevFailure for any other error: a new workspace would make the key of the old one unrecoverable.
 */
export const isKnown = async (url: string, workspace: DevWorkspace): Promise<boolean> => {
  const answer = await fetch(`${url}/api/v1/sessions?limit=1`, {
    headers: { "X-API-Key": workspace.apiKey, "X-Tenant-Id": workspace.workspaceId },
  });
  const text = await answer.text();
  if (answer.ok || answer.status === 401) return answer.ok;
  throw new DevFailure(`The service refused its own workspace with ${answer.status}: ${text}`);
};

/** Creates a workspace with the plan `enterprise` and a key with the role `manage` through the admin API. */
export const createWorkspace = async (url: string, adminKey: string, name: string): Promise<DevWorkspace> => {
  const workspaceId = await post(`${url}/admin/workspaces`, adminKey, { name, plan: "enterprise" }, "id");
  const keys = `${url}/admin/workspaces/${workspaceId}/keys`;
  return { workspaceId, apiKey: await post(keys, adminKey, { label: name, role: "manage" }, "api_key") };
};

const post = async (url: string, adminKey: string, body: object, member: string): Promise<string> => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new DevFailure(`The service refused POST ${url} with ${answer.status}: ${text}`);
  // The admin API answers these requests with an object. The type of the member is checked below.
  const value = (JSON.parse(text) as Record<string, unknown>)[member];
  if (typeof value !== "string") throw new DevFailure(`POST ${url} answered without ${member}: ${text}`);
  return value;
};
