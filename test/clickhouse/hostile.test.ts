import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Env } from "../../durable/protocol/env.ts";
import { sealPassword } from "../../durable/secrets/vault.ts";
import { clickHouseSource } from "../../durable/source/clickhouse/source.ts";
import type { EstimateQuestion } from "../../durable/source/port/estimate.ts";
import { openClickHouse, type PageScope } from "../../src/clickhouse/client.ts";
import { LIMITS } from "../../src/domain/shared/limits.ts";
import { DAY_MICROS } from "../../src/domain/shared/time.ts";
import { definition, tableSource } from "../support/samples.ts";
import { MARK, MASTER_KEY } from "../support/secrets/mark.ts";

/** The customer names the server when a project is bound, so its responses may be anything. */

const MIB = 1024 * 1024;
const PAGE_BYTES = 16 * MIB;

const DAY: PageScope = {
  tenantId: "t",
  projectId: "p",
  start: 0,
  end: DAY_MICROS,
  ingested: null,
  filter: null,
  fields: ["id", "start_time"],
};

const PROJECT = { tenantId: definition.tenantId, projectId: definition.projectId, shards: 1 };

const QUESTION: EstimateQuestion = {
  window: { start: 0, end: 2 * DAY_MICROS },
  exportFields: null,
  formatVersion: "v1",
  compression: "zstandard",
  filter: null,
  limits: LIMITS,
};

const tableAnswering = (body: BodyInit) => {
  const table = openClickHouse(tableSource, "secret", { allowLoopback: false, fetch: async () => new Response(body) });
  if (!table.ok) throw new Error(table.failure.advice);
  return table.value;
};

const UNEXPECTED = { ok: false, failure: { reason: "unexpected_answer", retryable: true } };

describe("a response in lines is a failure of the source", () => {
  it.each([
    ["is not JSON", "hello [world]\n"],
    ["has a line that is not an array", '{"a":[]\n[]\n'],
    ["nests", `${"[".repeat(MIB)}${"]".repeat(MIB)}\n`],
    ["has other columns", '["1","2","3","4","5","6"]\n'],
    ["has invalid numbers", '["x","id","x","x","x"]\n["x","x","x"]\n'],
    ["has numbers that are not strings", '[1,"id",1,1,1]\n'],
    ["has negative counts", '["-1","id","-1","-1","-1"]\n'],
    ["has fractional counts", '["0.5","id","0.5","0.5","0.5"]\n'],
    ["has a count above 2^53", `["1","id","1","${2 ** 53}","1"]\n`],
    ["has too many lines", '["1"]\n'.repeat(100_001)],
  ])("when it %s", async (_, body) => {
    expect(await tableAnswering(body).pages(DAY, PAGE_BYTES)).toMatchObject(UNEXPECTED);
    expect(await tableAnswering(body).days(DAY)).toMatchObject(UNEXPECTED);
    if (!body.startsWith('["1"]')) expect(await tableAnswering(body).now()).toMatchObject(UNEXPECTED);
  });

  it("when it is empty although the time was requested", async () => {
    expect(await tableAnswering("").now()).toMatchObject(UNEXPECTED);
    expect(await tableAnswering("").days(DAY)).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["outside of the window", '["1","1","1"]\n'],
    ["twice", '["0","1","1"]\n["0","1","1"]\n'],
  ])("when it has a day %s", async (_, body) => {
    expect(await tableAnswering(body).days(DAY)).toMatchObject(UNEXPECTED);
  });
});

describe("a page is never larger than its size plus one run", () => {
  it.each([
    ["too large for a whole page", 41 * MIB, 1],
    ["too large for one run", 25 * MIB, 25 * MIB],
  ])("a page is not read when its declared size is %s", async (_, bytes, longest) => {
    const pages = await tableAnswering(`["0","id","1","${bytes}","${longest}"]\n`).pages(DAY, PAGE_BYTES);
    expect(pages).toMatchObject({ ok: false, failure: { reason: "row_too_large", retryable: false } });
  });

  it("a page is read only up to its declared size", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += MIB;
        controller.enqueue(new Uint8Array(MIB));
      },
    });
    const bounds = { after: null, upto: { time: 0, id: "id" }, rows: 1, bytes: 4 * MIB, longestRowBytes: 1 };
    expect(await tableAnswering(endless).page(DAY, bounds, async () => {})).toMatchObject(UNEXPECTED);
    expect(sent).toBeLessThan(10 * MIB);
  });
});

describe("an estimate", () => {
  let responseText = "";

  const server = createServer((request, response) => {
    request.resume();
    response.end(responseText);
  });

  beforeAll(() => new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready)));
  afterAll(() => server.close());

  const estimate = async () => {
    // What the constructor uses of the environment.
    const env = { MASTER_KEYS: `tests:${MASTER_KEY}`, ALLOW_LOOPBACK_ENDPOINTS: "true" } as Partial<Env> as Env;
    // A server that listens on a port has an address of that form.
    const { port } = server.address() as AddressInfo;
    const source = { ...tableSource, url: `http://127.0.0.1:${port}` };
    const envelope = await sealPassword(env, { tenantId: PROJECT.tenantId, id: PROJECT.projectId }, MARK);
    return clickHouseSource(env, PROJECT, { source, envelope, boundAt: 0, since: 0 }).estimate(QUESTION);
  };

  it("of days of any size needs no memory for their files", async () => {
    responseText = `["0","1","${5e15}"]\n["1","2","${LIMITS.targetFileBytes + 1}"]\n`;
    const files = Math.ceil(5e15 / LIMITS.targetFileBytes);
    const before = process.memoryUsage().rss;
    expect(await estimate()).toMatchObject({ ok: true, value: { rows: 3, files: files + 2 } });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  });

  it("counts a part for each 8 MiB of a file", async () => {
    responseText = `["0","1","${2 * LIMITS.targetFileBytes + LIMITS.partBytes + 1}"]\n["1","0","0"]\n`;
    const parts = (2 * LIMITS.targetFileBytes) / LIMITS.partBytes + 2;
    expect(await estimate()).toMatchObject({ ok: true, value: { files: 3, parts } });
  });

  it("is refused with the failure of the source when the response is invalid", async () => {
    responseText = "hello [world]\n";
    expect(await estimate()).toMatchObject({
      ok: false,
      failure: { reason: "source", source: { reason: "unexpected_answer" } },
    });
  });
});
