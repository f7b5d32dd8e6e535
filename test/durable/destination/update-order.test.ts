import { expect, inject, it } from "vitest";
import { destination } from "../../../durable/protocol/actors.ts";
import { SLOW_KEY } from "../../support/difficult-store.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { env } from "../traces.ts";

const keyPair = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: MARK, sessionToken: null });

const newDestination = async () => {
  const [id, tenantId] = [crypto.randomUUID(), crypto.randomUUID()];
  const config = {
    bucketName: inject("customerBucket").bucketName,
    prefix: "any",
    region: null,
    endpointUrl: inject("difficultEndpoint"),
    includeBucketInPrefix: false,
  };
  const actor = destination(env, id);
  await actor.create({ id, tenantId, displayName: "first", config, credentials: keyPair("AKIAFIRST") });
  return { actor, tenantId };
};

it.each<[what: string, later: object]>([
  ["credentials", { credentials: keyPair("AKIALATER"), displayName: "later" }],
  ["a name", { displayName: "later" }],
])(
  "a change of a destination that is checked for long does not replace %s that a later request set",
  async (_, later) => {
    const { actor, tenantId } = await newDestination();
    const slow = actor.update({ tenantId, credentials: keyPair(SLOW_KEY), displayName: "earlier" });
    expect(await actor.update({ tenantId, ...later })).toMatchObject({ ok: true, value: { displayName: "later" } });
    const after = await actor.access(tenantId);
    expect(await slow).toMatchObject({ ok: false, failure: { reason: "conflict" } });
    expect(await actor.access(tenantId)).toEqual(after);
    expect(await actor.view(tenantId)).toMatchObject({ ok: true, value: { displayName: "later" } });
  },
);

it("two changes of a destination that end in the order of their arrival both take effect", async () => {
  const { actor, tenantId } = await newDestination();
  const earlier = actor.update({ tenantId, credentials: keyPair("AKIAEARLIER"), displayName: "earlier" });
  const later = actor.update({ tenantId, credentials: keyPair(SLOW_KEY), displayName: "later" });
  expect(await earlier).toMatchObject({ ok: true });
  expect(await later).toMatchObject({ ok: true, value: { displayName: "later" } });
});
