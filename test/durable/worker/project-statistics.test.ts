import { expect, it } from "vitest";
import { projectStatistics } from "../../../durable/worker/project-statistics.ts";
import { latencyAt } from "../../../src/trace/run/statistics.ts";
import { bytes, env, exported, ingest, NOON, newId, newProject, patch, post, type TestProject } from "../traces.ts";

const statisticsOf = async ({ tenantId, project }: TestProject) =>
  (await projectStatistics(env, tenantId, [project]))[0];

const SECOND = 1_000_000;
const usage = (total: number) =>
  bytes(`{"usage_metadata":{"input_tokens":1,"output_tokens":${total - 1},"total_tokens":${total}}}`);

it("runs of all shards and days are counted once, with tokens, errors and latencies, even after segments are rewritten", async () => {
  const project = newProject(3);
  const ids = Array.from({ length: 10 }, newId);
  await ingest(
    project,
    ...ids.map((id, n) => post(id, { start_time: NOON + n, end_time: NOON + n + SECOND, outputs: usage(n + 1) })),
    post(newId(), { start_time: NOON - 86_400 * SECOND }),
  );
  expect(await statisticsOf(project)).toMatchObject({
    runs: 11,
    looked: 0,
    firstStart: NOON - 86_400 * SECOND,
    lastStart: NOON + 9,
  });
  await exported(project);
  await ingest(project, patch(String(ids[0]), { error: bytes("late"), end_time: NOON + 8 * SECOND }));
  await exported(project);
  const known = await statisticsOf(project);
  expect(known).toMatchObject({
    runs: 11,
    looked: 10,
    errors: 1,
    totalTokens: 55,
    promptTokens: 10,
    completionTokens: 45,
  });
  if (known == null) throw new Error("there is one project");
  expect(latencyAt(known, 0.5)).toBeCloseTo(1, 1);
  expect(latencyAt(known, 1) ?? 0).toBeGreaterThan(7);
});

it("a project without runs has the statistics of zero runs", async () => {
  expect(await statisticsOf(newProject())).toMatchObject({ runs: 0, firstStart: null });
});
