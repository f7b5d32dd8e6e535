import { expect, it } from "vitest";
import { ADMIN, call, newWorkspace } from "../client.ts";

const keysOf = (workspaceId: string) => `/admin/workspaces/${workspaceId}/keys`;

it("a key is returned at its creation with its role and user, and identified by its SHA-256", async () => {
  const { id } = await newWorkspace();
  const body = { label: "ci", role: "read", user_id: "ada" };
  const created = await call("POST", keysOf(id), { headers: ADMIN, body });
  expect([created.status, created.body]).toEqual([
    200,
    { ...body, api_key: expect.stringMatching(/^wbk_/), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  const revoked = await call("DELETE", `${keysOf(id)}/${created.body.sha256}`, { headers: ADMIN });
  expect(revoked.status).toBe(204);
});

it.each([
  ["label", { label: "", role: "read" }],
  ["label", { label: "a\nb", role: "read" }],
  ["label", { label: "x".repeat(256), role: "read" }],
  ["role", { label: "ci", role: "owner" }],
  ["user_id", { label: "ci", role: "read", user_id: "ada/lovelace" }],
  ["user_id", { label: "ci", role: "read", user_id: "a".repeat(129) }],
])("a key whose %s is not valid is refused: %j", async (member, body) => {
  const { id } = await newWorkspace();
  const answer = await call("POST", keysOf(id), { headers: ADMIN, body });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", member]]);
});

it.each([
  ["name", { name: "", plan: "plus" }],
  ["name", { name: "x".repeat(256), plan: "plus" }],
  ["plan", { name: "acme", plan: "free" }],
  ["id", { name: "acme", plan: "plus", id: "acme" }],
])("a workspace whose %s is not valid is refused: %j", async (member, body) => {
  const answer = await call("POST", "/admin/workspaces", { headers: ADMIN, body });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", member]]);
});
