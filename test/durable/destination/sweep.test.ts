import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, inject, it } from "vitest";
import { sweepPage } from "../../../durable/destination/sweep.ts";
import { destination } from "../../../durable/protocol/actors.ts";
import { openWith } from "../../../durable/secrets/open-bucket.ts";
import { fileKey, folderOf } from "../../../src/domain/destination/layout.ts";
import type { ActiveDestination } from "../../../src/domain/destination/state.ts";
import { usedSweep } from "../../../src/domain/destination/sweep.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { env } from "../traces.ts";

const LATER = 4 * DAY_MS;

/** A destination in a store that lists uploads, with one upload of an export and one of another program. */
const newBucket = async (prefix: string) => {
  const [id, tenantId] = [crypto.randomUUID(), crypto.randomUUID()];
  const config = {
    bucketName: inject("customerBucket").bucketName,
    prefix,
    region: null,
    endpointUrl: inject("difficultEndpoint"),
    includeBucketInPrefix: false,
  };
  const actor = destination(env, id);
  const credentials = { accessKeyId: "AKIASWEEP", secretAccessKey: MARK, sessionToken: null };
  const created = await actor.create({ id, tenantId, displayName: "swept", config, credentials });
  const access = await actor.access(tenantId);
  if (!created.ok || access === null) throw new Error("the destination was created");
  const bucket = await openWith(env, id, access, {});
  if (!bucket.ok) throw new Error("the bucket opens");
  const place = { prefix, exportId: crypto.randomUUID(), tenantId, projectId: crypto.randomUUID() };
  const own = fileKey(folderOf({ ...place, day: "2026-11-01", version: "v1" }), 0, 0);
  const foreign = `${prefix}/export_id=7/part-0.parquet`;
  for (const key of [own, foreign]) await bucket.value.createUpload(key);
  const open = async () => {
    const page = await bucket.value.listUploads(prefix, null);
    return page.ok ? page.value.uploads.map(({ key }) => key) : page.failure.reason;
  };
  const state: ActiveDestination = {
    status: "ACTIVE",
    requested: { displayName: "swept", config },
    record: created.value,
    credentials: { version: 1, envelope: access.envelope, keys: [] },
    sweep: usedSweep(null, Date.now()),
  };
  return { id, own, foreign, open, state };
};

it("the sweep of a destination aborts its own abandoned uploads, and no other one", async () => {
  const { own, foreign, open, state } = await newBucket(`swept/${crypto.randomUUID()}`);
  expect(await sweepPage(env, state, Date.now() + 2 * DAY_MS)).toBeNull();
  expect(await open()).toEqual([own, foreign].sort());
  expect(await sweepPage(env, state, Date.now() + LATER)).toBeNull();
  expect(await open()).toEqual([foreign]);
});

it("the sweep of a destination without the right to list uploads changes nothing", async () => {
  const { open, state } = await newBucket(`writable/${crypto.randomUUID()}`);
  expect(await open()).toBe("access_denied");
  expect(await sweepPage(env, state, Date.now() + LATER)).toBeNull();
});

it("a destination sleeps for a day between its sweeps, and for good when it is deleted", async () => {
  const { id, open, state } = await newBucket(`swept/${crypto.randomUUID()}`);
  const stub = env.DESTINATION.get(env.DESTINATION.idFromName(`destination/${id}`));
  const alarm = () => runInDurableObject(stub, (_actor, { storage }) => storage.getAlarm());
  const before = Date.now();
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await alarm()).toBeGreaterThanOrEqual(before + DAY_MS);
  expect(await open()).toHaveLength(2); // too young
  await destination(env, id).remove(state.record.tenantId);
  expect(await alarm()).toBeNull();
});
