import { Client } from "langsmith";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";

let waybill: OwnWaybill;
let client: Client;

beforeAll(async () => {
  waybill = await startOwnWaybill();
  client = new Client({ apiUrl: waybill.config.url, apiKey: waybill.config.api_key });
});

afterAll(() => waybill?.stop());

const listed = async (query: Parameters<Client["listProjects"]>[0]): Promise<readonly (string | undefined)[]> => {
  const names: (string | undefined)[] = [];
  for await (const one of client.listProjects(query)) names.push(one.name);
  return names;
};

it("The langsmith SDK creates, reads, lists, updates and deletes projects", async () => {
  const made = await client.createProject({ projectName: "made", description: "first", metadata: { team: "a" } });
  expect(await client.createProject({ projectName: "made", upsert: true })).toMatchObject({ id: made.id });
  await client.createProject({ projectName: "made too" });
  expect(await client.readProject({ projectName: "made" })).toMatchObject({ id: made.id, description: "first" });
  expect(await client.readProject({ projectId: made.id })).toMatchObject({ extra: { metadata: { team: "a" } } });
  expect(await client.hasProject({ projectName: "made" })).toBe(true);
  expect(await listed({ nameContains: "MADE", referenceFree: true })).toEqual(["made too", "made"]);
  expect(await listed({ projectIds: [made.id] })).toEqual(["made"]);

  const endTime = "2026-11-01T00:00:00.000Z";
  const changed = { name: "renamed", description: "second", metadata: { team: "b" }, endTime };
  expect(await client.updateProject(made.id, changed)).toMatchObject({
    id: made.id,
    name: "renamed",
    end_time: endTime,
  });
  expect(await client.readProject({ projectName: "renamed" })).toMatchObject({
    description: "second",
    extra: { metadata: { team: "b" } },
  });
  expect(await client.hasProject({ projectName: "made" })).toBe(false);

  await client.deleteProject({ projectName: "renamed" });
  expect(await client.hasProject({ projectName: "renamed" })).toBe(false);
  await expect(client.readProject({ projectId: made.id })).rejects.toThrow("404");
  expect(await listed({})).toEqual(expect.not.arrayContaining(["renamed"]));
});

it("The langsmith SDK lists projects by their metadata", async () => {
  for (const [projectName, metadata] of Object.entries({ blue: { color: "blue", size: 1 }, red: { color: "red" } }))
    await client.createProject({ projectName, metadata });
  expect(await listed({ metadata: { color: "blue" } })).toEqual(["blue"]);
  expect(await listed({ metadata: { color: "red", size: 1 } })).toEqual([]);
});

it("A run that the langsmith SDK creates without an id gets one, the same when it is sent again", async () => {
  const start_time = Date.parse("2026-09-14T08:00:00.123Z");
  const nameless = { name: "no id", run_type: "llm", inputs: { a: 1 }, project_name: "made ids", start_time };
  for (const inputs of [{ a: 1 }, { a: 1 }, { a: 2 }]) await client.createRun({ ...nameless, inputs });
  const found = [];
  for await (const run of client.listRuns({ projectName: "made ids" })) found.push(run);
  expect(found.map(({ inputs }) => inputs)).toEqual(expect.arrayContaining([{ a: 1 }, { a: 2 }]));
  expect(found).toHaveLength(2);
  for (const { id, name } of found) expect(await client.readRun(id)).toMatchObject({ id, name });
});

it("All pages of a long list of projects reach the langsmith SDK", async () => {
  const names = Array.from({ length: 105 }, (_, n) => `page ${n}`);
  for (const projectName of names) await client.createProject({ projectName });
  expect(await listed({ nameContains: "page" })).toEqual(names.toReversed());
});

it("The langsmith SDK reads the number of runs of a project as soon as they are sent", async () => {
  for (const name of ["one", "two"])
    await client.createRun({ id: crypto.randomUUID(), name, run_type: "llm", inputs: {}, project_name: "counted" });
  await client.awaitPendingTraceBatches();
  const { run_count, last_run_start_time } = await client.readProject({ projectName: "counted", includeStats: true });
  expect([run_count, typeof last_run_start_time]).toEqual([2, "string"]);
  expect(await client.readProject({ projectName: "counted" })).toMatchObject({ run_count: null });
});
