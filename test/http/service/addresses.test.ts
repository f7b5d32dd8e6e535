import { expect, it } from "vitest";
import { call } from "../client.ts";

const ID = crypto.randomUUID();

/** Sends no key, so that an unknown route differs from a known one by 404 alone. */
const isThere = async (method: string, path: string): Promise<boolean> => {
  const answer = await call(method, path, { body: {} });
  return answer.status !== 404 && answer.status !== 405;
};

it.each([
  ["POST", "/runs"],
  ["PATCH", `/runs/${ID}`],
  ["POST", "/runs/batch"],
  ["POST", "/runs/multipart"],
  ["POST", "/runs/query"],
  ["POST", "/feedback"],
  ["PATCH", `/feedback/${ID}`],
  ["POST", "/sessions"],
  ["PATCH", `/sessions/${ID}`],
])("%s %s answers with and without /api/v1", async (method, path) => {
  expect([await isThere(method, path), await isThere(method, `/api/v1${path}`)]).toEqual([true, true]);
});

it.each([
  ["POST", "/v2/deployments"],
  ["PATCH", `/v2/deployments/${ID}`],
  ["POST", `/v2/deployments/${ID}/revisions/${ID}/redeploy`],
  ["POST", "/v2/deployments/upload-url"],
  ["POST", "/v2/listeners"],
  ["PATCH", `/v2/listeners/${ID}`],
])("%s %s answers also below /api-host", async (method, path) => {
  expect([await isThere(method, path), await isThere(method, `/api-host${path}`)]).toEqual([true, true]);
});

it("the OpenAPI document has no other path, no webhook and no callback", async () => {
  const { body } = await call("GET", "/openapi.json");
  expect(Object.keys(body.paths).filter((path) => !/^\/(?:api\/v1|v2|admin|ok$)/.test(path))).toEqual([]);
  expect([body.webhooks ?? {}, JSON.stringify(body.paths).includes('"callbacks"')]).toEqual([{}, false]);
});
