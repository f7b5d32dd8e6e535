import { env as bindings } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { workspace as workspaceOf } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import { MAX_PROJECTS } from "../../../src/domain/shared/limits.ts";
import { call, newKey, newWorkspace } from "../client.ts";

const env: Env = bindings;

let manager: Readonly<Record<string, string>>;
let sender: Readonly<Record<string, string>>;
let oldest: string;
beforeAll(async () => {
  const { id, headers } = await newWorkspace();
  manager = headers;
  sender = (await newKey(id, "ingest")).headers;
  const names = Array.from({ length: MAX_PROJECTS }, (_, n) => ({ name: `project ${n}` }));
  const [first] = await workspaceOf(env, id).resolveProjects(names);
  if (first?.ok !== true) throw new Error("the projects were not made");
  oldest = first.value.id;
});

const runIn = (project: string) => ({
  id: crypto.randomUUID(),
  session_name: project,
  name: "n",
  run_type: "llm",
  start_time: "2024-03-05T10:00:00Z",
});
const send = (...post: object[]) => call("POST", "/runs/batch", { headers: sender, body: { post } });
const create = (name: string, query = "") => call("POST", `/sessions${query}`, { headers: manager, body: { name } });

it("a workspace with the maximum number of projects cannot create another until one is deleted, and its projects keep working", async () => {
  const refused = await send(runIn("project 7"), runIn("further"));
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("10000 projects, which is the most")]);
  expect([(await create("further")).status, (await create("project 7", "?upsert=true")).status]).toEqual([422, 200]);
  expect((await send(runIn("project 7"))).status).toBe(202);
  expect((await call("DELETE", `/sessions/${oldest}`, { headers: manager })).status).toBe(204);
  expect((await send(runIn("further"))).status).toBe(202);
  expect((await create("another")).status).toBe(422);
});
