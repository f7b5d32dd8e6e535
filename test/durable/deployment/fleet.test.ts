import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { deployment, fleet, listener, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentDefinition, ListenerRecord } from "../../../src/domain/deployment/records.ts";
import { deploymentDefinition } from "../../support/samples.ts";
import { env } from "../traces.ts";

const WITHIN = { timeout: 60_000, interval: 10 };

let tenantId: string;
let machine: ListenerRecord;

beforeEach(async () => {
  tenantId = crypto.randomUUID();
  await workspace(env, tenantId).create({ id: tenantId, name: "test", plan: "enterprise" });
  machine = { id: crypto.randomUUID(), computeId: "machine", k8sNamespaces: null, createdAt: 0, updatedAt: 0 };
  await fleet(env, tenantId).createListener(machine);
});

const definitionOf = (name: string): DeploymentDefinition => ({
  ...deploymentDefinition,
  ...{ id: crypto.randomUUID(), tenantId, name, createdAt: Date.now() },
  source: "external_docker",
  listenerId: machine.id,
});

const home = () => fleet(env, tenantId);
const stub = ({ id }: DeploymentDefinition) => deployment(env, tenantId, id);

const unlisted = () =>
  runInDurableObject(bindings.FLEET.getByName(`fleet/${tenantId}`), (_, { storage }) =>
    storage.sql
      .exec<{ body: string }>("SELECT body FROM event WHERE type = 'DeploymentUnlisted'")
      .toArray()
      .map(({ body }) => JSON.parse(body).id),
  );

const knownTo = (id: string) =>
  runInDurableObject(bindings.LISTENER.getByName(`listener/${tenantId}/${id}`), (_, { storage }) =>
    storage.kv.get("deployments"),
  );

it("a deleted deployment takes no place in its fleet, whoever deleted it", async () => {
  const gone = definitionOf("agent");
  await home().createDeployment(gone, null);
  await stub(gone).remove({ withProject: false });
  expect(await vi.waitUntil(async () => (await unlisted())[0], WITHIN)).toBe(gone.id);
});

it("the name of a deleted deployment is free at once, and stays with who has it next", async () => {
  const [first, second] = [definitionOf("agent"), definitionOf("agent")];
  await home().createDeployment(first, null);
  expect(await home().createDeployment(second, null)).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  await stub(first).remove({ withProject: false });
  expect((await home().createDeployment(second, null)).ok).toBe(true);
  await vi.waitUntil(async () => (await unlisted()).includes(first.id), WITHIN);
  const listed = await home().deployments(tenantId);
  expect(listed.map((one) => one.definition.id)).toEqual([second.id]);
});

it("a creation that comes when its name is given away comes too late", async () => {
  const late = definitionOf("agent");
  expect(await stub(late).forgo()).toBe(true);
  expect(await stub(late).create(late, null)).toMatchObject({ ok: false, failure: { reason: "not_found" } });
  const made = definitionOf("other agent");
  await home().createDeployment(made, null);
  expect(await stub(made).forgo()).toBe(false);
  expect((await stub(made).view()).ok).toBe(true);
});

it("a listener forgets a deleted deployment that was assigned to it once more, too late", async () => {
  const gone = definitionOf("agent");
  await home().createDeployment(gone, null);
  await vi.waitUntil(async () => (await knownTo(machine.id)) !== undefined, WITHIN);
  await stub(gone).remove({ withProject: false });
  await vi.waitUntil(async () => JSON.stringify(await knownTo(machine.id)) === "[]", WITHIN);
  await listener(env, tenantId, machine.id).assign(gone.id);
  expect(await listener(env, tenantId, machine.id).poll()).toEqual({ work: [], serving: [] });
  expect(await knownTo(machine.id)).toEqual([]);
});

it("a listener is not deleted while a deployment for it is being made", async () => {
  const wanted = definitionOf("agent");
  const [created, deleted] = await Promise.all([
    home().createDeployment(wanted, null),
    home().deleteListener(tenantId, machine.id),
  ]);
  expect([created.ok, deleted]).toEqual([true, expect.objectContaining({ ok: false })]);
  await stub(wanted).remove({ withProject: false });
  expect(await home().deleteListener(tenantId, machine.id)).toEqual({ ok: true, value: null });
});

it("one deployment whose secrets cannot be opened fails, and takes no poll from the others", async () => {
  const [locked, open] = [definitionOf("locked"), definitionOf("open")];
  const order = { ...NO_CONTENT, imageUri: "agents.example/agent:1", secrets: {} };
  for (const one of [locked, open]) await home().createDeployment(one, order);
  await runInDurableObject(bindings.DEPLOYMENT.getByName(`deployment/${tenantId}/${locked.id}`), (instance) => {
    const otherKey = { MASTER_KEYS: `other:${btoa("f".repeat(32))}` };
    Object.assign(instance, { env: { ...env, ...otherKey } });
  });
  const work = await vi.waitUntil(async () => {
    const polled = await listener(env, tenantId, machine.id).poll();
    return polled.work[0];
  }, WITHIN);
  expect(work?.revision.deploymentId).toBe(open.id);
  const revisions = await vi.waitUntil(async () => {
    const answer = await stub(locked).revisions(FIRST_BATCH);
    return answer.ok && answer.value.items[0]?.status === "DEPLOY_FAILED" ? answer.value.items : null;
  }, WITHIN);
  expect(revisions?.[0]?.failure?.reason).toBe("secrets_lost");
});
