import { gzipSync, zstdCompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { call, callWith, EXPORTS, newDestination, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  workspace = await newWorkspace();
  headers = { "X-API-Key": workspace.apiKey };
});

const DAY = "2024-03-05";

const run = (project: string, change: object = {}) => {
  const id = crypto.randomUUID();
  return {
    id,
    trace_id: id,
    dotted_order: `20240305T101112131415Z${id}`,
    session_name: project,
    name: "answer",
    run_type: "chain",
    start_time: `${DAY}T10:11:12.131415Z`,
    inputs: { question: "why?" },
    ...change,
  };
};

const BOUNDARY = "----boundary-of-the-tests";
const MULTIPART = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };

/** Parts as the original's clients send them: with the length in the content type. */
const multipart = (parts: Readonly<Record<string, object | string>>): string => {
  const texts = Object.entries(parts).map(([name, value]) => {
    const json = JSON.stringify(value);
    const length = new TextEncoder().encode(json).length;
    return [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${name}"`,
      `Content-Type: application/json; length=${length}`,
      "",
      json,
      "",
    ].join("\r\n");
  });
  return `${texts.join("")}--${BOUNDARY}--\r\n`;
};

/** Each text as its own member. */
const gzip = (...texts: readonly string[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(texts.map((text) => gzipSync(text))));

/** Each text as its own frame. */
const zstd = (...texts: readonly string[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(texts.map((text) => zstdCompressSync(text))));

it("runs sent by each route are in an export that is created directly afterwards", async () => {
  const projectId = await newProject(workspace, "traced");
  const single = run("traced");
  const posted = run("traced");
  const parted = run("traced");
  const zipped = run("traced");
  const dense = run("traced");
  const denseParted = [run("traced"), run("traced")];
  const sent = [
    await call("POST", "/runs", { headers, body: single }),
    await call("PATCH", `/runs/${single.id}`, {
      headers,
      body: { end_time: Date.parse(`${DAY}T10:11:13Z`), outputs: {} },
    }),
    await call("POST", "/api/v1/runs/batch", { headers, body: { post: [posted], patch: [] } }),
    await call("POST", "/runs/multipart", {
      headers: { ...headers, ...MULTIPART },
      body: multipart({ [`post.${parted.id}`]: parted, [`post.${parted.id}.outputs`]: { answer: "because" } }),
    }),
    await call("POST", "/api/v1/runs/multipart", {
      headers: { ...headers, ...MULTIPART, "Content-Encoding": "gzip" },
      body: gzip(...multipart({ [`post.${zipped.id}`]: zipped }).split(/(?<=,)/)),
    }),
    await call("POST", "/runs/batch", {
      headers: { ...headers, "Content-Encoding": "zstd" },
      body: zstd(JSON.stringify({ post: [dense] })),
    }),
    await call("POST", "/runs/multipart", {
      headers: { ...headers, ...MULTIPART, "Content-Encoding": "zstd" },
      body: zstd(...multipart(Object.fromEntries(denseParted.map((one) => [`post.${one.id}`, one]))).split(/(?<=})/)),
    }),
    await call("POST", "/feedback", {
      headers,
      body: { id: crypto.randomUUID(), run_id: single.id, key: "liked", score: 1 },
    }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([...sent.slice(1).map(() => 202), 200]);

  const body = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: projectId,
    start_time: `${DAY}T00:00:00Z`,
    end_time: "2024-03-06T00:00:00Z",
  };
  const { id } = (await call("POST", EXPORTS, { headers: workspace.headers, body })).body;
  const shown = async () => (await call("GET", `${EXPORTS}/${id}`, { headers: workspace.headers })).body;
  await expect.poll(async () => (await shown()).status).toBe("COMPLETED");
  expect((await shown()).rows_written).toBe(7);
  const [only] = (await call("GET", `${EXPORTS}/${id}/runs`, { headers: workspace.headers })).body;
  expect(only.metadata.result.exported_files).toEqual([
    expect.stringMatching(/^customer-bucket\/exports\/export_id=.*\/runs\/year=2024\/month=3\/day=5\/[^/]+\.parquet$/),
  ]);
});

describe("a body that is not valid answers 422 in the format of ingest clients", () => {
  it.each([
    ["/runs", {}, "{"],
    ["/runs", {}, "[]"],
    ["/runs", {}, ""],
    ["/runs/batch", {}, '{"post": ['],
    ["/runs/multipart", {}, "{}"],
    ["/runs/multipart", { "Content-Type": "multipart/form-data" }, ""],
    ["/runs/multipart", MULTIPART, `--${BOUNDARY}\r\n`],
    ["/runs/batch", { "Content-Encoding": "br" }, "{}"],
    ["/runs/batch", { "Content-Encoding": "gzip" }, "{}"],
    ["/runs/batch", { "Content-Encoding": "zstd" }, "{}"],
    ["/runs/batch", { "Content-Encoding": "zstd" }, ""],
  ])("%s %o %s", async (path, extra, body) => {
    const answer = await call("POST", path, { headers: { ...headers, ...extra }, body });
    expect([answer.status, answer.body], answer.text).toEqual([
      422,
      { error: expect.any(String), details: expect.stringContaining("loc") },
    ]);
  });

  it("a bad run is named, and a good run of the same body is stored", async () => {
    const good = run("half");
    const body = { post: [good, run("half", { start_time: "yesterday" })] };
    const answer = await call("POST", "/runs/batch", { headers, body });
    expect(answer.status).toBe(422);
    const [error] = JSON.parse(answer.body.details);
    expect(error.loc.slice(-3)).toEqual(["post", 1, "start_time"]);
    const projects = await call("GET", "/sessions?name=half", { headers });
    expect(projects.body).toHaveLength(1);
  });

  it("a project id of another workspace is not found", async () => {
    const foreign = await newProject(await newWorkspace());
    const answer = await call("POST", "/runs", {
      headers,
      body: run("x", { session_id: foreign, session_name: null }),
    });
    expect([answer.status, answer.body], answer.text).toEqual([404, { error: expect.stringContaining(foreign) }]);
  });

  it.each<[member: string, change: object]>([
    ["session_name", { session_name: "x".repeat(1025) }],
    ["session_name", { session_name: "a\u0000b" }],
    ["session_name", { session_name: "\ud800" }],
    // One wide character doubles the bytes of a text between actors.
    ["name", { name: `${"x".repeat(20_000_000)}\u20ac` }],
    ["dotted_order", { dotted_order: "x".repeat(1_048_577) }],
    ["tags", { tags: ["x".repeat(1_048_577)] }],
    ["start_time", { start_time: "2024-03-05T10:11:12+99:00" }],
    ["start_time", { start_time: -1 }],
  ])("a run whose %s is out of range", async (member, change) => {
    const answer = await call("POST", "/runs", { headers, body: run("absurd", change) });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([422, expect.stringContaining(`body.${member}: `)]);
  });

  it("inputs that are nested too deep, with this reason", async () => {
    const inputs = `{"a": ${"[".repeat(600)}${"]".repeat(600)}}`;
    const body = JSON.stringify(run("deep", { inputs: "@" })).replace('"@"', inputs);
    const answer = await call("POST", "/runs", { headers, body });
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining("nested deeper than 512")]);
  });

  it("ids in the path are UUIDs", async () => {
    const answer = await call("PATCH", "/runs/not-an-id", { headers, body: {} });
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, ["error", "details"]]);
  });

  it("a change that its run has no room for is refused with 413, the run and the limit", async () => {
    await newProject(workspace, "full");
    const half = { text: "x".repeat(17 * 1024 * 1024) };
    const [large, other] = [run("full", { inputs: half }), run("full")];
    expect((await call("POST", "/runs/batch", { headers, body: { post: [large, other] } })).status).toBe(202);
    const patch = [
      { id: large.id, outputs: half },
      { id: other.id, outputs: { kept: true } },
    ];
    const answer = await call("POST", "/runs/batch", { headers, body: { patch } });
    expect([answer.status, answer.body.error]).toEqual([
      413,
      expect.stringContaining(`patch.${large.id}: with this change the run would hold more than 33554432 bytes`),
    ]);
    const shown = async ({ id }: { id: string }) => (await call("GET", `/runs/${id}`, { headers })).body;
    expect([(await shown(other)).outputs, (await shown(large)).outputs]).toEqual([{ kept: true }, null]);
    expect((await shown(large)).inputs.text).toHaveLength(half.text.length);
  });

  it("a body longer than MAX_BODY_BYTES is refused", async () => {
    const body = { post: [run("long", { inputs: { text: "x".repeat(2000) } })] };
    const answer = await callWith({ MAX_BODY_BYTES: "1000" }, "POST", "/runs/batch", { headers, body });
    expect(answer.status, answer.text).toBe(413);
    for (const [encoding, compress] of [["gzip", gzip] as const, ["zstd", zstd] as const]) {
      const bomb = compress(JSON.stringify(body));
      expect(bomb.length).toBeLessThan(1000);
      const zipped = { headers: { ...headers, "Content-Encoding": encoding }, body: bomb };
      expect((await callWith({ MAX_BODY_BYTES: "1000" }, "POST", "/runs/batch", zipped)).status).toBe(413);
    }
  });

  it.each([
    ["gzip", gzip],
    ["zstd", zstd],
  ])("a truncated body in %s is refused with this reason", async (encoding, compress) => {
    const body = compress(JSON.stringify({ post: [run("cut")] })).subarray(0, -9);
    const answer = await call("POST", "/runs/batch", { headers: { ...headers, "Content-Encoding": encoding }, body });
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining("broke off")]);
  });
});
