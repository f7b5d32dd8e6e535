import { vi } from "vitest";
import { type Entry, tarballOf } from "../../support/tarball.ts";
import { type Answer, call, type TestWorkspace } from "../client.ts";

/** Deployments through the public API. */

export const DEPLOYMENTS = "/v2/deployments";

/** Time limit of a revision on a busy machine; a health check without an answer takes 10 s. */
export const WITHIN = { timeout: 60_000, interval: 20 };

/** The source of an agent. `body` is the body of its function `fetch(request, env)`. */
export const agentSource = (body: string): readonly Entry[] => [
  { path: "waybill.json", content: JSON.stringify({ main: "server.js" }) },
  { path: "server.js", content: `export default { async fetch(request, env) { ${body} } };` },
];

/** The source of a healthy agent that answers the given word. */
export const answering = (word: string): readonly Entry[] => agentSource(`return new Response("${word}");`);

/** Uploads a source and returns its object_path. */
export const upload = async (workspace: TestWorkspace, entries: readonly Entry[]): Promise<string> => {
  const { headers } = workspace;
  const ticket = await call("POST", `${DEPLOYMENTS}/upload-url`, { headers });
  const put = await call("PUT", new URL(ticket.body.upload_url).pathname, {
    headers: { "Content-Type": "application/gzip" },
    body: tarballOf(entries),
  });
  if (put.status !== 200) throw new Error(put.text);
  return ticket.body.object_path;
};

export const bodyOf = (path: string | null, more: object = {}) => ({
  name: `agent ${crypto.randomUUID()}`,
  source: "internal_source",
  source_config: {},
  source_revision_config: { langgraph_config_path: "waybill.json", source_tarball_path: path },
  secrets: [],
  ...more,
});

export const create = async (workspace: TestWorkspace, body: object): Promise<Answer> =>
  call("POST", DEPLOYMENTS, { headers: workspace.headers, body });

export const deploy = async (workspace: TestWorkspace, entries: readonly Entry[], more: object = {}) => {
  const created = await create(workspace, bodyOf(await upload(workspace, entries), more));
  if (created.status !== 201) throw new Error(created.text);
  return created.body;
};

/** Waits until the revision is settled and returns its record. */
export const settled = async (workspace: TestWorkspace, deploymentId: string, revisionId: string) => {
  const path = `${DEPLOYMENTS}/${deploymentId}/revisions/${revisionId}`;
  const look = async () => (await call("GET", path, { headers: workspace.headers })).body;
  return vi.waitUntil(async () => {
    const revision = await look();
    return /DEPLOYED|FAILED|SKIPPED/.test(revision.status) ? revision : null;
  }, WITHIN);
};

export const patch = (workspace: TestWorkspace, id: string, body: object) =>
  call("PATCH", `${DEPLOYMENTS}/${id}`, { headers: workspace.headers, body });

/** An agent that answers with the characters of its key one by one, because answers are searched for keys. */
export const agentKey = async (workspace: TestWorkspace, id: string): Promise<string> =>
  (await ask(workspace, id)).body.join("");

export const ask = (workspace: TestWorkspace, id: string, path = "/") =>
  call("GET", `/deployments/${id}${path}`, { headers: workspace.headers });
