import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { FeedbackQuery } from "../../../durable/protocol/unrouted.ts";
import { ANY_FEEDBACK, editFeedback, type FeedbackRecord, listFeedback } from "../../../durable/worker/feedback.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import type { RunChange } from "../../../src/trace/run/change.ts";
import { feedbackEdit } from "../../../src/trace/run/feedback.ts";
import { env, exported, ingest, newId, newProject, post, shardStub, type TestProject, text } from "../traces.ts";

/** A client's feedback as it is read: whole, with its creation time. */
const given = (run: string, id: string, members: object = {}): RunChange => {
  const entry = { id, key: "liked", score: 1, created_at: "2030-01-02T12:00:00.000Z", ...members };
  return feedbackEdit(run, { id, json: JSON.stringify(entry) });
};

const EVERYTHING: FeedbackQuery = { ...ANY_FEEDBACK, offset: 0, limit: 100 };

const recordsOf = async ({ tenantId }: TestProject, query: Partial<FeedbackQuery>) => {
  const records: FeedbackRecord[] = [];
  for await (const piece of listFeedback(env, tenantId, { ...EVERYTHING, ...query })) records.push(...piece);
  return records;
};
const list = async (project: TestProject, query: Partial<FeedbackQuery> = {}) =>
  (await recordsOf(project, query)).map(({ json, ...place }) => ({
    ...place,
    ...JSON.parse(json),
  }));
const idsOf = async (project: TestProject, query: Partial<FeedbackQuery> = {}) =>
  (await list(project, query)).map(({ id }) => id);
const edit = ({ tenantId }: TestProject, id: string, edit: "patch" | "delete", members: object = {}) =>
  editFeedback(env, tenantId, { id, json: JSON.stringify(members), edit });
const statsOf = async (project: TestProject) =>
  (await exported(project)).map(({ feedback_stats: stats }) => (stats === null ? null : JSON.parse(text(stats))));

describe("feedback is found by its id and by its run", () => {
  it.each(["before it is sealed", "after it is sealed"])("%s", async (when) => {
    const project = newProject(3);
    const runs = Array.from({ length: 5 }, newId);
    const ids = runs.map(newId);
    await ingest(project, ...runs.map((run) => post(run)));
    await ingest(project, ...runs.map((run, n) => given(run, String(ids[n]))));
    if (when === "after it is sealed") await exported(project);
    const [first, second] = ids;
    expect(await list(project, { ids: [String(first)] })).toMatchObject([
      { id: first, runId: runs[0], projectId: project.project.id, key: "liked", score: 1 },
    ]);
    expect(await idsOf(project, { runIds: [String(runs[1])] })).toEqual([second]);
    expect((await idsOf(project)).sort()).toEqual([...ids].sort());
  });

  it("before its run arrives, and after", async () => {
    const project = newProject();
    const [run, id] = [newId(), newId()];
    await ingest(project, given(run, id));
    expect(await list(project, { ids: [id] })).toMatchObject([{ runId: run, projectId: null, score: 1 }]);
    expect(await edit(project, id, "patch", { score: 0 })).toEqual(ok(true));
    expect(await list(project, { ids: [id] })).toMatchObject([{ projectId: null, score: 0, key: "liked" }]);
    await ingest(project, post(run));
    expect(await statsOf(project)).toMatchObject([{ liked: { n: 1, avg: 0 } }]);
    expect(await list(project, { ids: [id] })).toMatchObject([{ projectId: project.project.id, score: 0 }]);
  });

  it("only in its own tenant", async () => {
    const project = newProject();
    const [run, id] = [newId(), newId()];
    await ingest(project, post(run), given(run, id));
    expect(await list(newProject(), { ids: [id] })).toEqual([]);
    expect(await edit(newProject(), id, "delete")).toEqual(ok(false));
  });
});

it("a list is filtered by project, key, source and score, and paged, newest first", async () => {
  const project = newProject();
  const [run, ...ids] = Array.from({ length: 5 }, newId);
  const members = [
    { key: "a", created_at: "2030-01-02T12:00:00Z" },
    { key: "b", created_at: "2030-01-02T14:00:00+01:00", feedback_source: { type: "model" } },
    { key: "b", created_at: "2030-01-02T12:00:01Z", score: null, value: "good" },
    { key: "c", created_at: "2030-01-02T11:00:00Z" },
  ];
  await ingest(project, post(String(run)), ...ids.map((id, n) => given(String(run), id, members[n])));
  const [a, model, unscored, c] = ids;
  expect(await idsOf(project)).toEqual([model, unscored, a, c]);
  expect(await idsOf(project, { offset: 1, limit: 2 })).toEqual([unscored, a]);
  expect(await idsOf(project, { keys: ["a", "c"] })).toEqual([a, c]);
  expect(await idsOf(project, { keys: ["b"], sources: ["model"] })).toEqual([model]);
  expect(await idsOf(project, { isScored: false })).toEqual([unscored]);
  expect(await idsOf(project, { projectIds: [project.project.id], isScored: true })).toEqual([model, a, c]);
  expect(await idsOf(project, { projectIds: [newId()] })).toEqual([]);
});

describe("the content of a feedback can change", () => {
  it.each(["before its run is sealed", "after its run is sealed"])("%s", async (when) => {
    const project = newProject();
    const [run, kept, gone] = [newId(), newId(), newId()];
    await ingest(project, post(run), given(run, kept, { comment: "nice" }), given(run, gone));
    if (when === "after its run is sealed") expect(await statsOf(project)).toMatchObject([{ liked: { n: 2, avg: 1 } }]);
    expect(await edit(project, kept, "patch", { score: 0.5 })).toEqual(ok(true));
    expect(await edit(project, gone, "delete")).toEqual(ok(true));
    expect(await list(project)).toMatchObject([{ id: kept, score: 0.5, comment: "nice" }]);
    expect(await statsOf(project)).toMatchObject([{ liked: { n: 1, avg: 0.5, comments: ["nice"] } }]);
    await evictDurableObject(shardStub(project));
    expect(await list(project)).toMatchObject([{ id: kept, score: 0.5 }]);
    expect(await edit(project, gone, "delete")).toEqual(ok(false));
    expect(await edit(project, gone, "patch", { score: 1 })).toEqual(ok(false));
  });

  it("a run whose last feedback is deleted has none", async () => {
    const project = newProject();
    const [run, id] = [newId(), newId()];
    await ingest(project, post(run), given(run, id));
    await exported(project);
    await edit(project, id, "delete");
    expect(await statsOf(project)).toEqual([null]);
  });

  it("feedback sent again under its id is one feedback, created when it was first sent", async () => {
    const project = newProject();
    const [run, id] = [newId(), newId()];
    await ingest(project, post(run), given(run, id));
    await exported(project);
    await ingest(project, given(run, id, { score: 0, created_at: "2030-01-05T00:00:00Z" }));
    expect(await list(project)).toMatchObject([{ id, score: 0, created_at: "2030-01-02T12:00:00.000Z" }]);
    expect(await statsOf(project)).toMatchObject([{ liked: { n: 1, avg: 0 } }]);
  });

  it.each(["before they are sealed", "after they are sealed", "within one request"])(
    "feedback sent again for another run is on that run alone, %s",
    async (when) => {
      const project = newProject();
      const [left, joined, id] = [newId(), newId(), newId()];
      await ingest(project, post(left), post(joined));
      if (when === "within one request") await ingest(project, given(left, id), given(joined, id, { score: 0 }));
      else await ingest(project, given(left, id));
      if (when === "after they are sealed") await exported(project);
      await ingest(project, given(joined, id, { score: 0 }));
      expect(await list(project)).toMatchObject([{ id, runId: joined, projectId: project.project.id, score: 0 }]);
      expect(await statsOf(project)).toMatchObject([null, { liked: { n: 1, avg: 0 } }]);
      await edit(project, id, "delete");
      expect(await statsOf(project)).toEqual([null, null]);
    },
  );

  it("feedback sent again for another run before its first run arrived is on the other run alone", async () => {
    const project = newProject();
    const [left, joined, id] = [newId(), newId(), newId()];
    await ingest(project, given(left, id));
    await ingest(project, given(joined, id));
    expect(await list(project)).toMatchObject([{ id, runId: joined, projectId: null }]);
    await ingest(project, post(left), post(joined));
    expect(await statsOf(project)).toMatchObject([null, { liked: { n: 1 } }]);
  });
});

it.each(["is with its runs, sealed and not", "waits for its runs"])(
  "feedback longer than a message is listed whole, in order, and in its current state, when it %s",
  async (where) => {
    const project = newProject();
    const runs = Array.from({ length: 9 }, newId);
    const comment = "c".repeat(900 * 1024);
    if (where !== "waits for its runs") await ingest(project, ...runs.map((run) => post(run)));
    const ids: string[] = [];
    for (const minute of [1, 2, 3, 4]) {
      const created_at = `2030-01-02T12:0${minute}:00.000Z`;
      const said = runs.map((run) => given(run, newId(), { comment, created_at }));
      await ingest(project, ...said);
      ids.unshift(...said.map(({ feedback }) => feedback?.id ?? ""));
      if (minute === 2 && where !== "waits for its runs") await exported(project);
    }
    await edit(project, String(ids[35]), "patch", { score: 0 });
    const listed = await list(project);
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed.every((one) => one.comment === comment)).toBe(true);
    expect(listed.map(({ score }) => score)).toEqual([...Array.from({ length: 35 }, () => 1), 0]);
  },
);
