import { describe, expect, it } from "vitest";
import { readBatch } from "../../../src/trace/ingest/read-batch.ts";
import { collect, PARENT_ID, RUN_ID, START, streamOf, text } from "../samples.ts";

const run = (fields: object = {}) => ({ id: RUN_ID, start_time: START, ...fields });
const read = (body: unknown, chunkBytes?: number) =>
  collect(readBatch(streamOf(typeof body === "string" ? body : JSON.stringify(body), chunkBytes)));

describe("reading a batch", () => {
  it.each([1, 7, 100_000])("reads posts and patches from chunks of %d bytes", async (chunkBytes) => {
    const inputs = { text: 'a "quoted" } ] \\ text', list: [[{}], "x"] };
    const body = {
      post: [run({ inputs }), run({ id: PARENT_ID })],
      other: [{ a: 1 }],
      patch: [{ id: RUN_ID, end_time: 1 }],
    };
    const { accepted, refused } = await read(body, chunkBytes);
    expect(refused).toEqual([]);
    expect(accepted.map(({ kind, id }) => [kind, id])).toEqual([
      ["post", RUN_ID],
      ["post", PARENT_ID],
      ["patch", RUN_ID],
    ]);
    expect(text(accepted[0]?.inputs)).toBe(JSON.stringify(inputs));
  });

  it("accepts white space, empty lists, null and missing ones", async () => {
    for (const body of ["{}", ' { "post" : [ ] , "patch" : null } \n', '{"patch":[]}'])
      expect(await read(body)).toEqual({ accepted: [], refused: [] });
  });

  it("reports a refused run in its position and continues", async () => {
    const { accepted, refused } = await read({ post: [run(), run({ start_time: "no" }), 5, run()] });
    expect(accepted).toHaveLength(2);
    expect(refused.map(({ loc }) => loc)).toEqual([
      ["post", 1, "start_time"],
      ["post", 2],
    ]);
  });

  it.each([
    "",
    "[]",
    '{"post"',
    '{"post":[',
    '{"post":[{}',
    '{"post":[{},]}',
    '{"post":[]} x',
    '{"post":[],}',
    '{"post":[] "patch":[]}',
    "{1:[]}",
  ])("ends with a refusal of the body at %j", async (body) => {
    const { refused } = await read(body);
    expect(refused.at(-1)?.loc).toEqual(["body"]);
  });

  it("returns the complete runs of a truncated body", async () => {
    const whole = JSON.stringify({ post: [run(), run({ id: PARENT_ID })] });
    const { accepted, refused } = await read(whole.slice(0, -5));
    expect(accepted.map(({ id }) => id)).toEqual([RUN_ID]);
    expect(refused).toMatchObject([{ type: "body_ended" }]);
  });

  it("refuses a run that is too large without buffering it, and accepts the others", async () => {
    const pieces = ['{"post":[', JSON.stringify(run()), `,{"id":"${RUN_ID}","inputs":{"a":"`];
    let large = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
        if (large++ < 30) return controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61));
        controller.enqueue(new TextEncoder().encode(`"}},${JSON.stringify(run())}]}`));
        controller.close();
      },
    });
    const { accepted, refused } = await collect(readBatch(body));
    expect(accepted).toHaveLength(2);
    expect(refused).toMatchObject([{ loc: ["post", 1], type: "too_large" }]);
  });
});
