import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env as bindings, exports } from "cloudflare:workers";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { build, readBundle, storeUpload } from "../../../durable/deployment/data-plane/edge/agent-store.ts";
import { healthFailure } from "../../../durable/deployment/data-plane/edge/health.ts";
import { agentWorker } from "../../../durable/deployment/data-plane/edge/load-agent.ts";
import { deployment, fleet, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import {
  createDeployment,
  orderOf,
  reviseDeployment,
  type SentChange,
  type SentContent,
} from "../../../durable/worker/order-deployment.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentDefinition } from "../../../src/domain/deployment/records.ts";
import { isSettled } from "../../../src/domain/deployment/revision-status.ts";
import { ANY_PROJECT } from "../../../src/domain/workspace/project-query.ts";
import { deploymentDefinition } from "../../support/samples.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { type Entry, tarballOf } from "../../support/tarball.ts";
import { env } from "../traces.ts";

const WITHIN = { timeout: 60_000, interval: 10 };

let definition: DeploymentDefinition;

beforeEach(async () => {
  const tenantId = crypto.randomUUID();
  await workspace(env, tenantId).create({ id: tenantId, name: "test", plan: "enterprise" });
  definition = { ...deploymentDefinition, id: crypto.randomUUID(), tenantId, createdAt: Date.now() };
});

const stub = () => deployment(env, definition.tenantId, definition.id);
const rawStub = () => bindings.DEPLOYMENT.getByName(`deployment/${definition.tenantId}/${definition.id}`);

const sourceOf = (word: string) => {
  const entries: Entry[] = [
    { path: "waybill.json", content: '{"main": "server.js"}' },
    { path: "server.js", content: `export default { fetch: () => new Response("${word}") };` },
  ];
  return tarballOf(entries);
};

const contentOf = async (word: string): Promise<SentContent> => {
  const path = `uploads/${crypto.randomUUID()}.tar.gz`;
  await storeUpload(env, definition.tenantId, path, sourceOf(word));
  return { ...NO_CONTENT, configPath: "waybill.json", tarballPath: path, secrets: { KEY: "value" } };
};

const create = (content: SentContent | null) => createDeployment(env, definition, content);

const revise = (change: SentChange) =>
  reviseDeployment(env, { tenantId: definition.tenantId, deploymentId: definition.id }, change);

const untilServing = () =>
  vi.waitUntil(async () => {
    const serving = await stub().serving();
    return serving?.kind === "edge" ? serving.agent : null;
  }, WITHIN);

const history = async () => {
  const { events } = await stub().events({ after: 0, limit: 1000 });
  return events.map(({ event }) => (event.type === "RevisionMoved" ? event.to : event.type));
};

it("a deleted deployment gets neither a project nor a key when the call that creates them arrives late", async () => {
  const home = workspace(env, definition.tenantId);
  const { name } = definition;
  const key = { keyHash: "a".repeat(64), label: "deployment", role: "ingest", userId: "deployment" } as const;
  expect(await home.revokeKey(key.keyHash)).toMatchObject({ ok: false, failure: { reason: "not_found" } });
  expect(await home.openProject({ name, key })).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  expect(await home.listProjects({ ...ANY_PROJECT, name, offset: 0, limit: 1 })).toEqual([]);
  expect((await home.authorize(key.keyHash)).ok).toBe(false);
  const other = { ...key, keyHash: "b".repeat(64) };
  expect(await home.openProject({ name, key: other })).toMatchObject({ ok: true, value: { name } });
  expect((await home.authorize(other.keyHash)).ok).toBe(true);
});

it("a deployment that is created twice has one revision", async () => {
  const order = await orderOf(env, definition, await contentOf("one"));
  const home = fleet(env, definition.tenantId);
  const [first, second] = await Promise.all([home.createDeployment(order), home.createDeployment(order)]);
  expect([first.ok, second.ok]).toEqual([true, true]);
  await stub().create(order);
  await untilServing();
  expect(
    (await stub().revisions(FIRST_BATCH)).ok && (await history()).filter((type) => type === "RevisionAdded"),
  ).toHaveLength(1);
});

it("a superfluous alarm or an eviction does not change a deployment", async () => {
  await create(await contentOf("one"));
  const agent = await untilServing();
  const before = await history();
  await runDurableObjectAlarm(rawStub());
  await evictDurableObject(rawStub());
  expect(await stub().serving()).toEqual({ kind: "edge", agent });
  expect(await history()).toEqual(before);
});

it("a revision that was added before an eviction is deployed after it", async () => {
  await create(null);
  const revised = await revise(await contentOf("late"));
  await evictDurableObject(rawStub());
  const agent = await untilServing();
  expect(revised.ok && revised.value.latestRevisionId).toBe(agent.revisionId);
});

it("the log of a deployment holds neither a secret nor the key of its agents in plain text", async () => {
  await create({ ...(await contentOf("one")), secrets: { MODEL_KEY: MARK } });
  await untilServing();
  const log = JSON.stringify(await stub().events({ after: 0, limit: 1000 }));
  expect(log).not.toContain(MARK);
  expect(log).not.toContain("wbk_");
});

it("a deleted deployment keeps only its events", async () => {
  await create(await contentOf("one"));
  const { bundleKey } = await untilServing();
  expect(await env.SEGMENTS.head(bundleKey)).not.toBeNull();
  await stub().remove({ withProject: false });
  await vi.waitUntil(async () => (await history()).at(-1) === "DeploymentCleaned", WITHIN);
  expect(await env.SEGMENTS.head(bundleKey)).toBeNull();
  expect(await stub().serving()).toBeNull();
});

it("a source that was built is not read again, neither for a redeploy nor for another change", async () => {
  const order = await contentOf("one");
  await create(order);
  const { revisionId } = await untilServing();
  const { tarballPath, configPath } = order;
  await env.SEGMENTS.delete(`uploads/${definition.tenantId}/${tarballPath?.slice("uploads/".length)}`);
  const endOf = async (changed: ReturnType<ReturnType<typeof stub>["redeploy"]>) => {
    const record = await changed;
    const id = record.ok ? (record.value.latestRevisionId ?? "") : "";
    return vi.waitUntil(async () => {
      const found = await stub().revision(id);
      return found.ok && isSettled(found.value.status) ? found.value.status : null;
    }, WITHIN);
  };
  expect(await endOf(stub().redeploy(revisionId))).toBe("DEPLOYED");
  expect(await endOf(revise({ secrets: { KEY: "other" } }))).toBe("DEPLOYED");
  expect(await endOf(revise({ allowNetwork: true, configPath }))).toBe("DEPLOYED");
  expect(await endOf(revise({ tarballPath }))).toBe("CREATE_FAILED");
});

it("a revision that could not be loaded is loaded again for the next request", async () => {
  await create(await contentOf("one"));
  const serving = await untilServing();
  const bundle = await env.SEGMENTS.get(serving.bundleKey);
  const text = await bundle?.text();
  const agent = { ...serving, revisionId: crypto.randomUUID() };
  const ask = async () => (await agentWorker({ env, exports }, agent)?.fetch("https://agent/"))?.text();
  await env.SEGMENTS.delete(serving.bundleKey);
  await expect(ask()).rejects.toThrow("the bundle of the revision is gone");
  await env.SEGMENTS.put(serving.bundleKey, text ?? "");
  expect(await ask()).toBe("one");
  expect(await ask()).toBe("one");
});

it("without a Worker Loader a health check fails and names the missing binding", async () => {
  await create(await contentOf("one"));
  const agent = await untilServing();
  const { LOADER: _, ...without } = env;
  const failure = await healthFailure({ env: without as typeof env, exports }, agent); // the index signature hides the rest
  expect(failure).toMatchObject({ reason: "edge_missing", message: expect.stringContaining("worker_loaders") });
});

it("a source at a public address is downloaded past any cache", async () => {
  const cached = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async (_, init) => new Response(sourceOf(init?.cache === "no-store" ? "new" : "old")));
  onTestFinished(() => cached.mockRestore());
  const content = { ...NO_CONTENT, configPath: "waybill.json", tarballPath: "https://example.com/agent.tar.gz" };
  const built = await build(env, definition, crypto.randomUUID(), content);
  const bundle = built.ok ? await readBundle(env, built.value.key) : null;
  expect(JSON.stringify(bundle)).toContain('Response(\\"new');
});
