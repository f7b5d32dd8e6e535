import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createExport, untilCompleted } from "../../../dev/api.ts";
import { localBucket } from "../../../dev/bucket-address.ts";
import { type RunningWaybill, startWaybill } from "../../../dev/start.ts";
import { askerOf } from "../../support/own-waybill.ts";
import { takeLeaks } from "../../support/secrets/leaks.ts";
import { MARK } from "../../support/secrets/mark.ts";

const folder = mkdtempSync(join(tmpdir(), "waybill-credentials-"));
const { access_key_id: accessKey, secret_access_key: secret } = localBucket("");

let waybill: RunningWaybill;
beforeAll(async () => {
  waybill = await startWaybill({
    port: null,
    stateDir: join(folder, "state"),
    settings: {
      ALLOW_ENVIRONMENT_CREDENTIALS: "true",
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secret,
    },
  });
});
afterAll(async () => {
  await waybill?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (method: string, path: string, body?: object) => {
  const answer = await askerOf(waybill.config)(method, `/api/v1${path}`, body);
  // Tests read responses without types; a wrong type fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: answer.status, body: (await answer.json()) as any };
};

const DESTINATIONS = "/bulk-exports/destinations";

const destinationAt = (change: object = {}) => {
  const { bucket_name, region, endpoint_url } = waybill.config.s3;
  return {
    destination_type: "s3",
    display_name: "ours",
    config: { bucket_name, prefix: "environment", region, endpoint_url, ...change },
  };
};

it("a destination without credentials uses those of the installation", async () => {
  const created = await ask("POST", DESTINATIONS, destinationAt());
  expect([created.status, created.body.credentials_keys]).toEqual([200, []]);

  const project = (await ask("POST", "/sessions", { name: "traced" })).body.id;
  const id = crypto.randomUUID();
  const run = { id, name: "n", run_type: "chain", session_name: "traced", start_time: "2026-03-05T10:00:00Z" };
  expect((await ask("POST", "/runs", run)).status).toBe(202);
  const exported = await createExport(waybill.config, {
    bulk_export_destination_id: created.body.id,
    session_id: project,
    start_time: "2026-03-05T00:00:00Z",
    end_time: "2026-03-06T00:00:00Z",
  });
  const { runs } = await untilCompleted(waybill.config, exported, 100);
  expect(runs.map((one) => one.metadata.result?.rows_written)).toEqual([1]);
});

it("a destination can get its own credentials later, which are tested first", async () => {
  const { id } = (await ask("POST", DESTINATIONS, destinationAt())).body;
  const own = (secretKey: string) => ({ credentials: { access_key_id: accessKey, secret_access_key: secretKey } });
  expect((await ask("PATCH", `${DESTINATIONS}/${id}`, own(`${MARK}-wrong`))).status).toBe(400);
  expect((await ask("GET", `${DESTINATIONS}/${id}`)).body.credentials_keys).toEqual([]);
  const changed = await ask("PATCH", `${DESTINATIONS}/${id}`, own(secret));
  expect([changed.status, changed.body.credentials_keys]).toEqual([200, ["access_key_id", "secret_access_key"]]);
});

it("the destination check uses the installation's credentials, too", async () => {
  const refused = await ask("POST", DESTINATIONS, destinationAt({ bucket_name: "no-such-bucket" }));
  expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("Bucket is not valid")]);
});

it("a secret in the log or the state of a service is found when it stops", async () => {
  await waybill.stop(); // its own log lines from now on do not overwrite what is planted
  const kept = readFileSync(waybill.logFile);
  const planted = join(folder, "state/state/planted");
  appendFileSync(waybill.logFile, waybill.config.api_key);
  writeFileSync(planted, waybill.config.admin_key);
  await waybill.stop();
  expect(takeLeaks().toSorted()).toEqual(["a secret in state/planted", "a secret in wrangler.log"]);
  writeFileSync(waybill.logFile, kept);
  rmSync(planted);
});
