import { describe, expect, it } from "vitest";
import { boundaryOf } from "../../../src/trace/ingest/multipart/parts.ts";
import { readMultipart } from "../../../src/trace/ingest/multipart/read-multipart.ts";
import { collect, PARENT_ID, RUN_ID, START, streamOf, text } from "../samples.ts";

const BOUNDARY = "----LangSmithFormBoundaryAbC";

/** A part with its length in the Content-Type, as the JavaScript client writes it. */
const part = (name: string, content: string, type = `application/json; length=${Buffer.byteLength(content)}`) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
const body = (...parts: string[]) => `${parts.join("")}--${BOUNDARY}--\r\n`;
const read = (whole: string, chunkBytes?: number) => collect(readMultipart(streamOf(whole, chunkBytes), BOUNDARY));

const own = (id = RUN_ID) => JSON.stringify({ id, start_time: START, session_name: "demo", child_runs: [] });
const inputs = '{ "q": "--x\\r\\n" }';

describe("reading a multipart body", () => {
  it.each([1, 13, 100_000])("joins the parts of a run, read in chunks of %d bytes", async (chunkBytes) => {
    const whole = body(
      part(`post.${RUN_ID}`, own()),
      part(`post.${RUN_ID}.inputs`, inputs),
      part(`post.${RUN_ID}.error`, '"Error: boom"'),
      part(`post.${RUN_ID}.serialized`, "{}"),
      part(`patch.${PARENT_ID}`, '{"end_time":1893492000456}'),
      part(`patch.${PARENT_ID}.outputs`, '{"a":1}'),
      part(`attachment.${RUN_ID}.photo.png`, "\u0000\u0001\r\n--", "image/png; length=6"),
      part(`feedback.${PARENT_ID}`, JSON.stringify({ key: "k", trace_id: RUN_ID, score: 1 })),
    );
    const { accepted, refused } = await read(whole, chunkBytes);
    expect(refused).toEqual([]);
    const [feedback, post, patch] = accepted;
    expect(feedback).toMatchObject({ kind: "feedback", id: RUN_ID, feedback: { id: PARENT_ID } });
    expect(post).toMatchObject({ kind: "post", id: RUN_ID, project: { name: "demo" } });
    expect(text(post?.inputs)).toBe(inputs);
    expect(text(post?.error)).toBe("Error: boom");
    expect(patch).toMatchObject({ kind: "patch", id: PARENT_ID, project: null, end_time: 1893492000456000 });
    expect(text(patch?.outputs)).toBe('{"a":1}');
  });

  it("keeps the fields of each of two patches of one run", async () => {
    const whole = body(
      part(`patch.${RUN_ID}`, '{"name":"first"}'),
      part(`patch.${RUN_ID}.outputs`, '{"n":1}'),
      part(`patch.${RUN_ID}`, '{"tags":["second"]}'),
      part(`patch.${RUN_ID}.extra`, '{"n":2}'),
    );
    const { accepted, refused } = await read(whole);
    expect(refused).toEqual([]);
    expect(accepted.map(({ name, tags }) => ({ name, tags }))).toEqual([
      { name: "first", tags: null },
      { name: null, tags: ["second"] },
    ]);
    expect(accepted.map(({ outputs, extra }) => [text(outputs), text(extra)])).toEqual([
      ['{"n":1}', text(null)],
      [text(null), '{"n":2}'],
    ]);
  });

  it.each([4096, 65_536, 1_000_000])(
    "keeps the bytes of every run of a long body, read in chunks of %d bytes",
    async (chunkBytes) => {
      const ids = Array.from({ length: 200 }, (_, i) => `019aa000-0000-7000-8000-${String(i).padStart(12, "0")}`);
      const inputsOf = (id: string) => JSON.stringify({ id, text: id.repeat(100) });
      const whole = body(
        ...ids.flatMap((id) => [part(`post.${id}`, own(id)), part(`post.${id}.inputs`, inputsOf(id))]),
      );
      const { accepted, refused } = await read(whole, chunkBytes);
      expect(refused).toEqual([]);
      expect(accepted.map((change) => text(change.inputs))).toEqual(ids.map(inputsOf));
    },
  );

  it("uses Content-Length if present, or finds the end of a part by its boundary", async () => {
    const counted = part(`post.${RUN_ID}.inputs`, inputs, `application/json\r\nContent-Length: ${inputs.length}`);
    const searched = part(`post.${RUN_ID}`, own(), "application/json");
    for (const whole of [body(counted, searched), body(searched, counted)])
      for (const chunkBytes of [1, 17, 100_000]) {
        const { accepted, refused } = await read(whole, chunkBytes);
        expect(refused).toEqual([]);
        expect(text(accepted[0]?.inputs)).toBe(inputs);
      }
  });

  it("joins parts in any order", async () => {
    const other = part(`post.${PARENT_ID}`, own(PARENT_ID));
    const { accepted } = await read(body(part(`post.${RUN_ID}.inputs`, inputs), other, part(`post.${RUN_ID}`, own())));
    expect(accepted.map(({ id, inputs: sent }) => [id, text(sent)])).toEqual([
      [RUN_ID, inputs],
      [PARENT_ID, null],
    ]);
  });

  it("returns runs before the body ends when many bytes are buffered, and later parts reach the same run", async () => {
    const large = JSON.stringify({ a: "x".repeat(5_000_000) });
    const { accepted, refused } = await read(
      body(
        part(`post.${RUN_ID}`, own()),
        part(`post.${RUN_ID}.inputs`, large),
        part(`post.${PARENT_ID}`, own(PARENT_ID)),
        part(`post.${PARENT_ID}.inputs`, large),
        part(`post.${RUN_ID}.outputs`, "{}"),
      ),
      1 << 20,
    );
    expect(refused).toEqual([]);
    expect(accepted.map(({ id, project, start_time }) => [id, project, start_time !== null])).toEqual([
      [RUN_ID, { name: "demo" }, true],
      [RUN_ID, { name: "demo" }, true],
      [PARENT_ID, { name: "demo" }, true],
    ]);
    expect(text(accepted[1]?.outputs)).toBe("{}");
    expect(accepted[1]?.inputs).toBeNull();
  });

  it("refuses runs whose fields precede their own part by too many bytes, and accepts the others", async () => {
    const large = JSON.stringify({ text: "x".repeat(10 * 1024 * 1024) });
    const early = ["a", "b", "c", "d"].map((last) => RUN_ID.replace(/.$/, last));
    const whole = body(
      ...early.map((id) => part(`post.${id}.inputs`, large)),
      part(`post.${PARENT_ID}`, own(PARENT_ID)),
      part(`post.${PARENT_ID}.outputs`, large),
      ...early.map((id) => part(`post.${id}`, own(id))),
    );
    const { accepted, refused } = await read(whole, 1_000_000);
    expect(refused).toMatchObject([{ loc: [`post.${early[3]}.inputs`], type: "too_large" }]);
    const sizes = new Map<string, number>();
    for (const { id, inputs, outputs } of accepted)
      sizes.set(id, (sizes.get(id) ?? 0) + (inputs?.length ?? 0) + (outputs?.length ?? 0));
    expect([...sizes].sort()).toEqual([...early.slice(0, 3), PARENT_ID].map((id) => [id, large.length]).sort());
  });

  it("refuses one run and accepts the others", async () => {
    const { accepted, refused } = await read(
      body(
        part(`post.${RUN_ID}`, '{"run_type":"agent"}'),
        part(`post.${RUN_ID}.inputs`, inputs),
        part(`post.${PARENT_ID}`, own(PARENT_ID)),
        part("post.abc", "{}"),
      ),
    );
    expect(accepted.map(({ id }) => id)).toEqual([PARENT_ID]);
    expect(refused.map(({ loc }) => loc)).toEqual([[`post.${RUN_ID}`, "run_type"], ["post.abc"]]);
  });

  it("refuses fields without their post, and fields that are not JSON", async () => {
    const { refused } = await read(
      body(part(`post.${RUN_ID}.inputs`, inputs), part(`patch.${PARENT_ID}.outputs`, "{nope}")),
    );
    expect(refused.map(({ loc }) => loc)).toEqual([[`patch.${PARENT_ID}.outputs`], [`post.${RUN_ID}`]]);
  });

  it("refuses a Content-Encoding of a single part", async () => {
    const encoded = part(`post.${RUN_ID}`, own(), "application/json\r\nContent-Encoding: gzip");
    expect((await read(body(encoded))).refused).toMatchObject([{ type: "content_encoding" }]);
  });

  it.each([
    ["without its boundary", "hello"],
    ["that is empty", ""],
    ["that is truncated in the headers of a part", `--${BOUNDARY}\r\nContent-Disp`],
    ["that breaks off in a part", body(part(`post.${RUN_ID}`, own())).slice(0, -60)],
    ["that breaks off before its last boundary", part(`post.${RUN_ID}`, own())],
    ["with a part without a name", `--${BOUNDARY}\r\nContent-Type: x\r\n\r\n\r\n--${BOUNDARY}--`],
    ["with a giant head", `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${"a".repeat(20_000)}"\r\n\r\n`],
    ["with a length that is too small", body(part(`post.${RUN_ID}`, own(), "application/json; length=3"))],
    ["with a length that is too great", body(part(`post.${RUN_ID}`, own(), "application/json; length=3000"))],
    ["with a length that is no number", body(part(`post.${RUN_ID}`, own(), "x\r\nContent-Length: many"))],
  ])("refuses a body %s, and accepts none of the buffered runs", async (_, whole) => {
    for (const chunkBytes of [3, 100_000]) {
      const { accepted, refused } = await read(whole, chunkBytes);
      expect(accepted).toEqual([]);
      expect(refused.map(({ loc }) => loc)).toEqual([["body"]]);
    }
  });

  it("skips attachments of any size without buffering them", async () => {
    const size = 60 * 1024 * 1024;
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 0)
          controller.enqueue(
            new TextEncoder().encode(
              part(`post.${RUN_ID}`, own()) +
                part(`attachment.${RUN_ID}.x`, "", `video/mp4; length=${size}`).slice(0, -2),
            ),
          );
        else if (sent > size / 1024 / 1024) {
          controller.enqueue(new TextEncoder().encode(`\r\n--${BOUNDARY}--`));
          return controller.close();
        } else controller.enqueue(new Uint8Array(1024 * 1024));
        sent += 1;
      },
    });
    const { accepted, refused } = await collect(readMultipart(stream, BOUNDARY));
    expect(refused).toEqual([]);
    expect(accepted).toHaveLength(1);
  });
});

describe("the boundary of a Content-Type", () => {
  it("is read with and without quotes, and only from multipart/form-data", () => {
    expect(boundaryOf("multipart/form-data; boundary=abc")).toBe("abc");
    expect(boundaryOf('Multipart/Form-Data; charset=x; Boundary="a b"')).toBe("a b");
    expect(boundaryOf("application/json; boundary=abc")).toBeNull();
    expect(boundaryOf("multipart/form-data")).toBeNull();
  });
});
