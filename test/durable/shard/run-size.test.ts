import { describe, expect, it } from "vitest";
import { queryRuns } from "../../../durable/worker/query/query.ts";
import { queryOf } from "../../../src/http/runs/query-schemas.ts";
import type { RunChange } from "../../../src/trace/run/change.ts";
import { MAX_RUN_BYTES } from "../../../src/trace/run/run-size.ts";
import {
  bytes,
  env,
  exported,
  ingest,
  NOON,
  newId,
  newProject,
  patch,
  post,
  ringMuchLater,
  type TestProject,
  text,
} from "../traces.ts";

/** JSON of almost half a run. */
const half = bytes(JSON.stringify("x".repeat(MAX_RUN_BYTES / 2 - 10)));
const more = bytes(JSON.stringify("y".repeat(100_000)));
/** A patch that names its project and day. */
const patchAtHome = (id: string, fields: Partial<RunChange>): RunChange =>
  patch(id, { project: { name: "demo" }, start_time: NOON, ...fields });

const found = async ({ tenantId, project }: TestProject, columns: readonly ("left_out" | "outputs" | "inputs")[]) => {
  const query = { ...queryOf({}), columns, projects: new Map([[project.id, project]]) };
  const answer = await queryRuns(env, tenantId, query);
  if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
  return answer.value.runs.map(({ row }) => row);
};

const sizesFound = async (project: TestProject) =>
  (await found(project, ["inputs", "outputs"])).map(({ inputs, outputs }) => [inputs?.length, outputs?.length]);

const tooLarge = (id: string) => ({
  reason: "invalid",
  loc: ["patch", id],
  type: "too_large",
  message: expect.stringContaining(`more than ${MAX_RUN_BYTES} bytes`),
});

describe.each([
  ["that names its day", patchAtHome],
  ["that only names its run", patch],
])("a patch %s", (_, patchOf) => {
  it.each(["before its run is sealed", "after its run was sealed"])(
    "is refused %s if the run would exceed its limit, and the other runs of the request are kept",
    async (when) => {
      const project = newProject();
      const [large, other] = [newId(), newId()];
      await ingest(project, post(large, { inputs: half, outputs: half }), post(other));
      if (when.startsWith("after")) await exported(project);
      const outcome = await ingest(
        project,
        patchOf(other, { name: "kept" }),
        patchOf(large, { extra: more, name: "refused" }),
        patchOf(large, { outputs: more, error: bytes("kept") }),
      );
      expect(outcome).toEqual({ accepted: 2, refusals: [tooLarge(large)], capacity: null });
      const rows = await exported(project);
      const [first, second] = [rows.find(({ id }) => id === large), rows.find(({ id }) => id === other)];
      expect([first?.name, first?.inputs?.length, first?.extra]).toEqual(["posted", half.length, null]);
      expect([text(first?.outputs), text(first?.error), first?.left_out]).toEqual([text(more), "kept", null]);
      expect(second?.name).toBe("kept");
    },
  );
});

it("what an acknowledged patch adds beyond the limit of a run that arrives later is named by the run, in queries and in exports", async () => {
  const project = newProject();
  const id = newId();
  const early = await ingest(project, patch(id, { outputs: half, extra: more, name: "kept" }));
  expect(early).toMatchObject({ accepted: 1, refusals: [] });
  await ingest(project, post(id, { inputs: half, events: bytes(`["${"z".repeat(90_000)}"]`) }));
  expect((await found(project, ["left_out"])).map((row) => text(row.left_out))).toEqual(['["outputs"]']);
  const [row] = await exported(project);
  expect([row?.name, row?.inputs?.length, row?.outputs, text(row?.extra)]).toEqual([
    "kept",
    half.length,
    null,
    text(more),
  ]);
  expect(text(row?.left_out)).toBe('["outputs"]');
  await ingest(project, patch(id, { outputs: bytes("{}") }));
  expect((await found(project, ["left_out"])).map((one) => one.left_out)).toEqual([null]);
});

it("a run of the greatest size is sealed, changed after its seal, merged, found and exported whole", async () => {
  const project = newProject();
  const id = newId();
  expect((await ingest(project, post(id, { inputs: half }))).refusals).toEqual([]);
  expect((await ingest(project, patch(id, { outputs: half }))).refusals).toEqual([]);
  expect(await sizesFound(project)).toEqual([[half.length, half.length]]);
  await exported(project);
  await ingest(project, patch(id, { name: "patched" }));
  expect(await sizesFound(project)).toEqual([[half.length, half.length]]);
  await ringMuchLater(project);
  const [row] = await exported(project);
  expect([row?.name, row?.inputs?.length, row?.outputs?.length]).toEqual(["patched", half.length, half.length]);
});
