import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import type { FleetActor } from "../../../durable/deployment/fleet.ts";
import { deployment, fleet, listener, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { createDeployment, orderOf, type SentContent } from "../../../durable/worker/order-deployment.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentOrder } from "../../../src/domain/deployment/order.ts";
import type { DeploymentDefinition } from "../../../src/domain/deployment/records.ts";
import type { ListenerRecord } from "../../../src/domain/fleet/records.ts";
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
const create = (wanted: DeploymentDefinition, content: SentContent | null = null) =>
  createDeployment(env, wanted, content);
const stub = ({ id }: DeploymentDefinition) => deployment(env, tenantId, id);

const removed = () =>
  runInDurableObject(bindings.FLEET.getByName(`fleet/${tenantId}`), (_, { storage }) =>
    storage.sql
      .exec<{ body: string }>("SELECT body FROM event WHERE type = 'DeploymentRemoved'")
      .toArray()
      .map(({ body }) => JSON.parse(body).id),
  );

const knownTo = (id: string) =>
  runInDurableObject(bindings.LISTENER.getByName(`listener/${tenantId}/${id}`), (_, { storage }) =>
    storage.kv.get("deployments"),
  );

it("a deleted deployment is removed from its fleet", async () => {
  const gone = definitionOf("agent");
  await create(gone);
  await stub(gone).remove({ withProject: false });
  expect(await vi.waitUntil(async () => (await removed())[0], WITHIN)).toBe(gone.id);
});

it("the name of a deleted deployment is free immediately, and stays with the deployment that takes it next", async () => {
  const [first, second] = [definitionOf("agent"), definitionOf("agent")];
  await create(first);
  expect(await create(second)).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  await stub(first).remove({ withProject: false });
  expect((await create(second)).ok).toBe(true);
  await vi.waitUntil(async () => (await removed()).includes(first.id), WITHIN);
  const listed = await home().deployments(tenantId);
  expect(listed.map((one) => one.definition.id)).toEqual([second.id]);
});

/** Creates a deployment while its fleet reaches no deployment. */
const createUnreachable = async (order: DeploymentOrder) =>
  runInDurableObject(bindings.FLEET.getByName(`fleet/${tenantId}`), async (actor) => {
    const instance = actor as FleetActor; // the class bound as FLEET
    const reach = (reachable: typeof env) => Object.assign(instance, { env: reachable });
    const unreachable = {
      getByName: () => {
        throw new Error("no deployment can be reached");
      },
    } as unknown as DurableObjectNamespace; // all that the fleet uses of it
    reach({ ...env, DEPLOYMENT: unreachable });
    const created = await instance.createDeployment(order);
    reach(env);
    return created;
  });

it("a deployment whose creation failed at first exists for the first request after its registration", async () => {
  const content = { ...NO_CONTENT, imageUri: "agents.example/agent:1", secrets: {} };
  for (const ask of ["view", "serving", "remove"] as const) {
    const order = await orderOf(env, definitionOf(`agent to ${ask}`), content);
    expect(await createUnreachable(order)).toMatchObject({
      ok: true,
      value: { status: "READY", latestRevisionId: order.revisionId, definition: order.definition },
    });
    const late = stub(order.definition);
    if (ask === "view")
      expect(await late.view()).toMatchObject({ ok: true, value: { latestRevisionId: order.revisionId } });
    if (ask === "serving") expect(await late.serving()).toMatchObject({ kind: "nothing" });
    if (ask === "remove") expect(await late.remove({ withProject: false })).toEqual({ ok: true, value: null });
  }
});

it("a deployment whose creation failed at first is created by the alarm of its fleet, and keeps its name until then", async () => {
  const [first, second] = [definitionOf("agent"), definitionOf("agent")];
  const order = await orderOf(env, first, null);
  expect((await createUnreachable(order)).ok).toBe(true);
  expect(await create(second)).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  await runDurableObjectAlarm(bindings.FLEET.getByName(`fleet/${tenantId}`));
  const { events } = await stub(first).events({ after: 0, limit: 10 });
  expect(events.map(({ event }) => event.type)).toContain("DeploymentCreated");
});

it("a creation delivered again after its deployment was deleted changes nothing", async () => {
  const order = await orderOf(env, definitionOf("agent"), null);
  expect((await home().createDeployment(order)).ok).toBe(true);
  await stub(order.definition).remove({ withProject: false });
  await stub(order.definition).create(order);
  expect(await stub(order.definition).view()).toMatchObject({ ok: false, failure: { reason: "not_found" } });
});

it("a listener forgets a deleted deployment whose assignment is delivered again after its release", async () => {
  const gone = definitionOf("agent");
  await create(gone);
  await vi.waitUntil(async () => (await knownTo(machine.id)) !== undefined, WITHIN);
  await stub(gone).remove({ withProject: false });
  await vi.waitUntil(async () => JSON.stringify(await knownTo(machine.id)) === "[]", WITHIN);
  await listener(env, tenantId, machine.id).assign(gone.id);
  expect(await listener(env, tenantId, machine.id).poll()).toEqual({ work: [], serving: [] });
  expect(await knownTo(machine.id)).toEqual([]);
});

it("a listener is not deleted while a deployment for it is being created", async () => {
  const wanted = definitionOf("agent");
  const order = await orderOf(env, wanted, null);
  const [created, deleted] = await Promise.all([
    home().createDeployment(order),
    home().deleteListener(tenantId, machine.id),
  ]);
  expect([created.ok, deleted]).toEqual([true, expect.objectContaining({ ok: false })]);
  await stub(wanted).remove({ withProject: false });
  expect(await home().deleteListener(tenantId, machine.id)).toEqual({ ok: true, value: null });
});

it("a deployment whose secrets cannot be decrypted fails, and polls still return work for the others", async () => {
  const [locked, open] = [definitionOf("locked"), definitionOf("open")];
  const order = { ...NO_CONTENT, imageUri: "agents.example/agent:1", secrets: {} };
  for (const one of [locked, open]) await create(one, order);
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
