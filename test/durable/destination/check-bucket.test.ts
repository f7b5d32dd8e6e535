import { expect, inject, it } from "vitest";
import { checkBucket } from "../../../durable/destination/check-bucket.ts";
import type { DestinationConfig } from "../../../src/domain/destination/records.ts";
import { check } from "../../support/samples.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { env } from "../traces.ts";

const credentials = { accessKeyId: "AKIADIFFICULT", secretAccessKey: MARK, sessionToken: null };

const configOf = (prefix: string, changes: Partial<DestinationConfig> = {}): DestinationConfig => ({
  bucketName: inject("customerBucket").bucketName,
  prefix,
  region: null,
  endpointUrl: inject("difficultEndpoint"),
  includeBucketInPrefix: false,
  ...changes,
});

it.each(["us-east-1", null])(
  "a store that names its region is asked again with it, when %s was sent",
  async (region) => {
    const checked = await checkBucket(env, configOf("elsewhere", { region }), credentials);
    expect(checked).toEqual({ ok: true, value: { ...check, region: "eu-west-9" } });
  },
);

it("a store that refuses the region that it names is asked once more, not forever", async () => {
  const checked = await checkBucket(env, configOf("nowhere"), credentials);
  expect(checked).toMatchObject({ ok: false, failure: { reason: "invalid_endpoint", wantedRegion: "us-west-0" } });
});

it("the check of a silent endpoint ends in time, all its requests together", async () => {
  const began = Date.now();
  const config = configOf("any", { endpointUrl: inject("silentEndpoint") });
  const checked = await checkBucket(env, config, credentials, 300);
  expect(checked).toMatchObject({ ok: false, failure: { reason: "network_lost", status: null } });
  expect(Date.now() - began).toBeLessThan(5_000);
});
