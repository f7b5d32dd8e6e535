import { Client, type Feedback } from "langsmith";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";

let waybill: OwnWaybill;
let client: Client;

beforeAll(async () => {
  waybill = await startOwnWaybill();
  client = new Client({ apiUrl: waybill.config.url, apiKey: waybill.config.api_key });
});

afterAll(() => waybill?.stop());

const sendRun = async (): Promise<string> => {
  const id = crypto.randomUUID();
  await client.createRun({ id, name: "answer", run_type: "llm", inputs: {}, project_name: "judged" });
  await client.awaitPendingTraceBatches();
  return id;
};

const listed = async (query: Parameters<Client["listFeedback"]>[0]): Promise<readonly Feedback[]> => {
  const all: Feedback[] = [];
  for await (const one of client.listFeedback(query)) all.push(one);
  return all;
};

it("The langsmith SDK creates, reads, lists, updates and deletes feedback", async () => {
  const [run, other] = [await sendRun(), await sendRun()];
  const { id: sessionId } = await client.readProject({ projectName: "judged" });
  const { id } = await client.createFeedback({
    runId: run,
    sessionId,
    key: "correct",
    score: 0.123456,
    comment: "so so",
  });
  await client.createFeedback({ runId: other, sessionId, key: "tone", value: "kind", feedbackSourceType: "model" });

  expect(await client.readFeedback(id)).toMatchObject({
    id,
    run_id: run,
    session_id: sessionId,
    key: "correct",
    score: 0.1235,
    comment: "so so",
    feedback_source: { type: "api" },
  });
  expect((await listed({ runIds: [run, other] })).map(({ key }) => key)).toEqual(["tone", "correct"]);
  expect((await listed({ runIds: [run, other], feedbackSourceTypes: ["model"] })).map(({ key }) => key)).toEqual([
    "tone",
  ]);
  expect((await listed({ feedbackKeys: ["correct"] })).map((one) => one.id)).toEqual([id]);

  await client.updateFeedback(id, { score: 1, comment: "good" });
  expect(await client.readFeedback(id)).toMatchObject({ score: 1, comment: "good" });
  await client.deleteFeedback(id);
  await expect(client.readFeedback(id)).rejects.toThrow("404");
  expect(await listed({ runIds: [run] })).toEqual([]);
});

it("All pages of a long list reach the langsmith SDK", async () => {
  const run = await sendRun();
  const { id: sessionId } = await client.readProject({ projectName: "judged" });
  const keys = Array.from({ length: 130 }, (_, n) => `k${n}`);
  for (const key of keys) await client.createFeedback({ runId: run, sessionId, key, score: 1 });
  expect((await listed({ runIds: [run] })).map(({ key }) => key).sort()).toEqual(keys.sort());
});
