import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeployment, patchDeployment, readDeployment, untilSettled } from "../../dev/control-plane.ts";
import { findListener } from "../../dev/listener/protocol.ts";
import { type OwnWaybill, startOwnWaybill } from "../support/own-waybill.ts";
import { search } from "../support/secrets/leaks.ts";
import { until } from "../support/until.ts";

const COMPUTE_ID = "test machine";
const LOOK_EVERY_MS = 50;

let waybill: OwnWaybill;
let listenerId: string;
const listeners: ChildProcess[] = [];
let stopped: Promise<void> | null = null;
const stopService = (): Promise<void> => {
  stopped ??= waybill.stop();
  return stopped;
};

beforeAll(async () => {
  waybill = await startOwnWaybill();
  listenerId = await findListener(waybill.config, COMPUTE_ID);
});

afterAll(async () => {
  for (const one of listeners) one.kill("SIGTERM");
  await Promise.all(listeners.map((one) => until(() => one.exitCode !== null || one.signalCode !== null)));
  await stopService();
});

const startListener = () => {
  const { url, api_key, workspace_id } = waybill.config;
  const args = ["dev/listener.ts", "examples/process-agents", "--compute-id", COMPUTE_ID, "--poll-ms", "100"];
  const env = { ...process.env, WAYBILL_URL: url, WAYBILL_API_KEY: api_key, WAYBILL_WORKSPACE_ID: workspace_id };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => search(text.toString(), "what a listener prints"));
  listeners.push(child);
  return child;
};

const body = (name: string, image: string, secrets: object[] = []) => ({
  name,
  source: "external_docker",
  source_config: { listener_id: listenerId },
  source_revision_config: { image_uri: image },
  secrets,
});

const replyOf = async (url: string): Promise<string> => {
  const answer = await fetch(url);
  return ((await answer.json()) as { reply: string }).reply;
};

it("the reference listener runs a deployment as a process, replaces it, reports failures, and stops what is deleted", async () => {
  const listener = startListener();
  const api = waybill.config;
  const created = await createDeployment(api, body("greeter", "registry.example/greeter:1"));
  expect((await untilSettled(api, created, LOOK_EVERY_MS)).status).toBe("DEPLOYED");
  const { url } = await readDeployment(api, created.id);
  expect(await replyOf(url ?? "")).toBe("Hello from greeter");

  const greeting = [{ name: "GREETING", value: "Welcome" }];
  const second = await patchDeployment(api, created.id, { secrets: greeting });
  expect((await untilSettled(api, second, LOOK_EVERY_MS)).status).toBe("DEPLOYED");
  const replaced = (await readDeployment(api, created.id)).url ?? "";
  expect(await replyOf(replaced)).toBe("Welcome from greeter");
  await until(() =>
    fetch(url ?? "").then(
      () => false,
      () => true,
    ),
  );

  const absent = await createDeployment(api, body("absent", "registry.example/nothing:1"));
  const failed = await untilSettled(api, absent, LOOK_EVERY_MS);
  expect(failed).toMatchObject({ status: "DEPLOY_FAILED", failure: { message: expect.stringContaining("nothing") } });

  const { api_key, workspace_id } = api;
  const headers = { "X-API-Key": api_key, "X-Tenant-Id": workspace_id };
  await fetch(`${api.url}/v2/deployments/${created.id}`, { method: "DELETE", headers });
  await until(() =>
    fetch(replaced).then(
      () => false,
      () => true,
    ),
  );
  listener.kill("SIGTERM");
});

it("what a listener runs goes on while the service is out of reach", async () => {
  const listener = startListener();
  let printed = "";
  listener.stdout?.on("data", (text: Buffer) => {
    printed += text.toString();
  });
  const created = await createDeployment(waybill.config, body("steady", "registry.example/greeter:1"));
  expect((await untilSettled(waybill.config, created, LOOK_EVERY_MS)).status).toBe("DEPLOYED");
  const { url } = await readDeployment(waybill.config, created.id);
  await stopService();
  await until(() => printed.includes("out of reach"));
  expect(await replyOf(url ?? "")).toBe("Hello from steady");
  expect(listener.exitCode).toBe(null);
});
