import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeployment, patchDeployment, readDeployment, untilSettled } from "../../../dev/control-plane.ts";
import { findListener } from "../../../dev/listener/protocol.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";
import { search } from "../../support/secrets/leaks.ts";
import { until } from "../../support/until.ts";

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

const USUAL = ["examples/process-agents", "--compute-id", COMPUTE_ID, "--poll-ms", "100"];

const startListener = ({ url = waybill.config.url, args = USUAL } = {}) => {
  const { api_key, workspace_id } = waybill.config;
  const env = { ...process.env, WAYBILL_URL: url, WAYBILL_API_KEY: api_key, WAYBILL_WORKSPACE_ID: workspace_id };
  const child = spawn(process.execPath, ["dev/listener.mjs", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => search(text.toString(), "what a listener prints"));
  listeners.push(child);
  return child;
};

/** All its output, after it ended. */
const outputOf = async (child: ChildProcess): Promise<string> => {
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text: Buffer) => {
      printed += text.toString();
    });
  await new Promise((resolve) => child.once("close", resolve));
  return printed;
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

it("the reference listener runs a deployment as a process, replaces it, reports failures, and stops a deleted one", async () => {
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

it("agents of a listener continue while the service cannot be reached", async () => {
  const listener = startListener();
  let printed = "";
  listener.stdout?.on("data", (text: Buffer) => {
    printed += text.toString();
  });
  const created = await createDeployment(waybill.config, body("steady", "registry.example/greeter:1"));
  expect((await untilSettled(waybill.config, created, LOOK_EVERY_MS)).status).toBe("DEPLOYED");
  const { url } = await readDeployment(waybill.config, created.id);
  await stopService();
  await until(() => printed.includes("cannot be reached"));
  expect(await replyOf(url ?? "")).toBe("Hello from steady");
  expect(listener.exitCode).toBe(null);
});

const WORK = {
  deployment_id: crypto.randomUUID(),
  revision_id: crypto.randomUUID(),
  name: "patient",
  lease_id: "1",
  lease_seconds: 60,
  status: "DEPLOYING",
  image_uri: "registry.example/greeter:1",
  repo_url: null,
  env: { LANGSMITH_PROJECT: "patient" },
};

/** A service that gives these answers (statuses or bodies) to polls and reports, and afterwards answers normally. */
const startService = async (answers: {
  readonly polls: (number | object)[];
  readonly reports: (number | object)[];
}) => {
  const server = createServer((request, response) => {
    const list = { resources: [{ id: listenerId, compute_id: COMPUTE_ID }], offset: 1 };
    const { polls, reports } = answers;
    const turns = request.url?.endsWith("/poll") ? polls : request.url?.endsWith("/status") ? reports : [list];
    const answer = turns.shift() ?? { work: [], serving: [{ revision_id: WORK.revision_id }], poll_after_seconds: 1 };
    if (typeof answer === "number") response.writeHead(answer);
    response.end(typeof answer === "number" ? "" : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
};

const POLLED = { work: [WORK], serving: [], poll_after_seconds: 1 };

it("a listener continues while the service is busy, and repeats reports without an answer", async () => {
  const service = await startService({ polls: [503, 429, POLLED], reports: [502, { lease_seconds: 60 }] });
  const listener = startListener({ url: service.url });
  let printed = "";
  listener.stdout?.on("data", (text: Buffer) => {
    printed += text.toString();
  });
  await until(() => printed.includes("DEPLOYED at") || listener.exitCode !== null);
  const [, url] = /DEPLOYED at (\S+)/.exec(printed) ?? [];
  expect(await replyOf(url ?? "")).toBe("Hello from patient");
  expect(printed.match(/cannot be reached/g)).toHaveLength(2);
  service.stop();
});

it("a listener that is stopped while its reports get no answer ends before its lease does", async () => {
  const unavailable = Array.from({ length: 100 }, () => 503);
  const reports = [...unavailable];
  const service = await startService({ polls: [POLLED], reports });
  const listener = startListener({ url: service.url });
  await until(() => reports.length < unavailable.length);
  listener.kill("SIGTERM");
  await until(() => listener.exitCode !== null);
  expect(unavailable.length - reports.length).toBeLessThan(10); // one a second, and the lease lasts 60
  service.stop();
});

it.each([
  [[], "Name one directory."],
  [["examples", "test"], "Name one directory."],
  [["nowhere"], "There is no directory"],
  [["examples", "--poll-ms", "soon"], '--poll-ms must be a whole number of at least 1, in digits only; it is "soon".'],
  [["examples", "--poll", "5"], "Unknown option '--poll'"],
])("a listener that is started with %j prints its usage", async (args, words) => {
  const listener = startListener({ args });
  const printed = await outputOf(listener);
  expect(listener.exitCode).toBe(1);
  expect(printed).toContain(words);
  expect(printed).toContain("Usage: npm run listener");
});

it("a listener whose service does not answer prints that and ends", async () => {
  const listener = startListener({ url: "http://127.0.0.1:2" });
  expect((await outputOf(listener)).trim()).toMatch(/^No answer from http:\/\/127\.0\.0\.1:2\. Start the service/);
  expect(listener.exitCode).toBe(1);
});
