import { expect, it } from "vitest";
import { log } from "../../../src/log.ts";
import { takeLeaks } from "../../support/secrets/leaks.ts";
import { ADMIN_KEY, MARK } from "../../support/secrets/mark.ts";
import { ADMIN, call, newWorkspace } from "../client.ts";
import { agentSource, ask, deploy, settled } from "../deployments/deploying.ts";

/** Plants leaks; taking the findings keeps the test from failing. */

it("a secret in a log line is found, also in base64", () => {
  log("planted", { key: `Basic ${btoa(`client:${MARK}`)}` });
  log("planted", { key: btoa(`a client:${MARK}`) });
  log("planted", { key: MARK });
  expect(takeLeaks()).toEqual(["a secret in a log line", "a secret in a log line", "a secret in a log line"]);
});

it("a secret in an answer or in an actor's storage is found", async () => {
  const { id } = await newWorkspace();
  const body = { label: `the key ${ADMIN_KEY}`, role: "read" };
  await call("POST", `/admin/workspaces/${id}/keys`, { headers: ADMIN, body });
  const leaks = new Set(takeLeaks());
  expect(leaks).toContain(`a secret in the answer to POST /admin/workspaces/${id}/keys`);
  expect([...leaks].some((leak) => leak.startsWith("a secret in what an actor stored: INSERT INTO event"))).toBe(true);
});

it("an API key in an answer is found", async () => {
  const home = await newWorkspace();
  const created = await deploy(home, agentSource("return new Response(env.LANGSMITH_API_KEY);"));
  await settled(home, created.id, created.latest_revision_id);
  await ask(home, created.id);
  expect(takeLeaks()).toEqual([`a secret in the answer to GET /deployments/${created.id}/`]);
});

it("a secret in an error message is found, also if the error is caught", () => {
  expect(() => {
    throw new Error(`planted: ${MARK}`);
  }).toThrow("planted");
  expect(takeLeaks()).toEqual(["a secret in the message of an error"]);
});

it("a secret that the search could not find is refused in a request", async () => {
  const { headers } = await newWorkspace();
  const body = { provider_id: "peer", client_secret: "without a mark" };
  await expect(call("POST", "/v2/auth/providers", { headers, body })).rejects.toThrow("client_secret does not hold");
  const secrets = [{ name: "MODEL_KEY", value: "without a mark" }];
  const deployment = { headers, body: { secrets } };
  await expect(call("POST", "/v2/deployments", deployment)).rejects.toThrow("MODEL_KEY does not hold");
});
