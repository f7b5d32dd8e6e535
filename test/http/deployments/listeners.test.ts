import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MARK } from "../../support/secrets/mark.ts";
import { call, newWorkspace, type TestWorkspace } from "../client.ts";
import { bodyOf, create, DEPLOYMENTS } from "./deploying.ts";

const LISTENERS = "/v2/listeners";

let workspace: TestWorkspace;
let listenerId: string;

const send = (method: string, path: string, body?: object, who = workspace) =>
  call(method, path, { headers: who.headers, ...(body === undefined ? {} : { body }) });

const newListener = (computeId = "laptop") =>
  send("POST", LISTENERS, { compute_type: "k8s", compute_id: computeId, compute_config: { k8s_namespaces: ["a"] } });

/** Sets the clock; the tests run the alarms themselves. */
const realNow = Date.now;
const later = (seconds: number) => {
  Date.now = () => realNow() + seconds * 1000;
};
afterEach(() => later(0));

/** Runs the alarm of the listener; false: none is set. */
const runListenerAlarm = () => runDurableObjectAlarm(env.LISTENER.getByName(`listener/${workspace.id}/${listenerId}`));

beforeEach(async () => {
  workspace = await newWorkspace();
  listenerId = (await newListener()).body.id;
});

const image = (more: object = {}) =>
  bodyOf(null, {
    source: "external_docker",
    source_config: { listener_id: listenerId },
    source_revision_config: { image_uri: "registry.example/agent:1" },
    secrets: [{ name: "MODEL_KEY", value: MARK }],
    ...more,
  });

/** Polls until there is work: an alarm checks a new revision first. */
const work = () =>
  expect
    .poll(async () => (await poll()).work[0] ?? null)
    .not.toBeNull()
    .then(() => taken);
// biome-ignore lint/suspicious/noExplicitAny: a response, read without types
let taken: any;
const poll = async () => {
  const { body } = await send("POST", `${LISTENERS}/${listenerId}/poll`);
  taken = body.work[0] ?? taken;
  return body;
};

const say = (lease: { revision_id: string; deployment_id: string; lease_id: string }, more: object) =>
  send("POST", `${LISTENERS}/${listenerId}/revisions/${lease.revision_id}/status`, {
    deployment_id: lease.deployment_id,
    lease_id: lease.lease_id,
    ...more,
  });

const revision = async (deploymentId: string, revisionId: string) =>
  (await send("GET", `${DEPLOYMENTS}/${deploymentId}/revisions/${revisionId}`)).body;

describe("a listener", () => {
  it("is unique for its compute id in a workspace, can be changed, and can be deleted once it runs no deployment", async () => {
    expect((await newListener()).status).toBe(409);
    const shown = await send("GET", `${LISTENERS}/${listenerId}`);
    expect(shown.body).toMatchObject({ compute_type: "k8s", compute_id: "laptop", version: null, heard_at: null });
    const changed = await send("PATCH", `${LISTENERS}/${listenerId}`, { compute_config: { k8s_namespaces: ["b"] } });
    expect(changed.body.compute_config).toEqual({ k8s_namespaces: ["b"] });
    expect((await send("GET", LISTENERS)).body.resources).toHaveLength(1);
    const { body } = await create(workspace, image());
    expect((await send("DELETE", `${LISTENERS}/${listenerId}`)).status).toBe(409);
    await send("DELETE", `${DEPLOYMENTS}/${body.id}`);
    expect((await send("DELETE", `${LISTENERS}/${listenerId}`)).status).toBe(204);
    expect((await send("GET", `${LISTENERS}/${listenerId}`)).status).toBe(404);
  });

  it("of another workspace is not found", async () => {
    const other = await newWorkspace();
    expect((await send("POST", `${LISTENERS}/${listenerId}/poll`, undefined, other)).status).toBe(404);
    expect((await create(other, image())).status).toBe(404);
  });

  it("receives a revision with everything it needs, and reports it DEPLOYED", async () => {
    const { body: created } = await create(workspace, image());
    const lease = await work();
    expect(lease).toMatchObject({
      deployment_id: created.id,
      revision_id: created.latest_revision_id,
      status: "DEPLOYING",
      source: "external_docker",
      image_uri: "registry.example/agent:1",
      lease_seconds: 60,
      env: {
        MODEL_KEY: MARK,
        LANGSMITH_PROJECT: created.name,
        LANGSMITH_ENDPOINT: "https://waybill.test",
        LANGSMITH_API_KEY: expect.stringMatching(/^wbk_/),
      },
    });
    expect((await poll()).work).toEqual([]);
    expect((await say(lease, { status: "DEPLOYING" })).body).toEqual({ lease_seconds: 60 });
    const done = { status: "DEPLOYED", url: "http://10.0.0.1:8000" };
    expect((await say(lease, done)).status).toBe(200);
    expect((await say(lease, done)).status).toBe(200); // the answer to the first report may have been lost
    expect((await poll()).serving).toEqual([{ deployment_id: created.id, revision_id: created.latest_revision_id }]);
    const shown = await send("GET", `${DEPLOYMENTS}/${created.id}`);
    expect(shown.body).toMatchObject({ url: done.url, active_revision_id: created.latest_revision_id });
    expect(shown.text).not.toContain(MARK);
    const response = await send("GET", `/deployments/${created.id}/ok`);
    expect([response.status, response.body.detail]).toEqual([503, expect.stringContaining(done.url)]);
    await send("DELETE", `${DEPLOYMENTS}/${created.id}`);
    await expect.poll(async () => (await poll()).serving).toEqual([]);
  });

  it("builds a revision from GitHub before it deploys it, and reports why a build failed", async () => {
    const source = {
      source: "github",
      source_config: { listener_id: listenerId, repo_url: "https://github.com/acme/agent", build_command: "make" },
      source_revision_config: { langgraph_config_path: "langgraph.json", repo_ref: "main" },
    };
    const { body: created } = await create(workspace, image(source));
    const lease = await work();
    expect(lease).toMatchObject({ status: "BUILDING", repo_ref: "main", build_command: "make" });
    expect((await say(lease, { status: "DEPLOYED" })).status).toBe(409);
    expect((await say(lease, { status: "DEPLOYING" })).status).toBe(200);
    expect((await revision(created.id, created.latest_revision_id)).status).toBe("DEPLOYING");
    expect((await say(lease, { status: "DEPLOY_FAILED", reason: "the port is taken" })).status).toBe(200);
    expect(await revision(created.id, created.latest_revision_id)).toMatchObject({
      status: "DEPLOY_FAILED",
      failure: { reason: "reported", message: "the port is taken" },
    });
  });

  it("that stops during its work loses its lease, and its later reports are refused", async () => {
    const { body: created } = await create(workspace, image());
    const lease = await work();
    later(61);
    const stub = env.DEPLOYMENT.getByName(`deployment/${workspace.id}/${created.id}`);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const again = await work();
    expect(again.revision_id).toBe(lease.revision_id);
    expect(again.lease_id).not.toBe(lease.lease_id);
    const late = await say(lease, { status: "DEPLOYED" });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining("The lease is lost")]);
    expect((await say(again, { status: "DEPLOYED" })).status).toBe(200);
    const { body } = await send("GET", `${DEPLOYMENTS}/${created.id}/events`);
    const moves = body.events.filter((one: { type: string }) => one.type === "RevisionMoved");
    expect(moves.map((one: { data: { status: string } }) => one.data.status)).toEqual([
      "QUEUED",
      "AWAITING_DEPLOY",
      "DEPLOYING",
      "INTERRUPTED",
      "QUEUED",
      "AWAITING_DEPLOY",
      "DEPLOYING",
      "DEPLOYED",
    ]);
  });

  it("without polls makes the revision that it serves UNKNOWN, until it polls again", async () => {
    const { body: created } = await create(workspace, image());
    await say(await work(), { status: "DEPLOYED", url: "http://10.0.0.1:8000" });
    const status = async () => (await revision(created.id, created.latest_revision_id)).status;
    expect(await runListenerAlarm()).toBe(true);
    expect(await status()).toBe("DEPLOYED"); // the alarm ran too early
    later(101);
    expect(await runListenerAlarm()).toBe(true);
    expect(await status()).toBe("UNKNOWN");
    expect(await runListenerAlarm()).toBe(false);
    await poll();
    expect(await status()).toBe("DEPLOYED");
  });

  it("without polls that reports DEPLOYED late serves a revision that becomes UNKNOWN, too", async () => {
    const { body: created } = await create(workspace, image());
    const lease = await work();
    later(50);
    await say(lease, { status: "DEPLOYING" });
    later(101);
    expect(await runListenerAlarm()).toBe(true);
    expect((await say(lease, { status: "DEPLOYED" })).status).toBe(200);
    later(202);
    expect(await runListenerAlarm()).toBe(true);
    expect((await revision(created.id, created.latest_revision_id)).status).toBe("UNKNOWN");
  });
});
