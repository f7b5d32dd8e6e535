import { expect, it, onTestFinished, vi } from "vitest";
import type { Env } from "../../../durable/protocol/env.ts";
import { checkRate } from "../../../src/http/kernel/rate-limit.ts";
import { call, callWith, newKey, newWorkspace } from "../client.ts";

const SLOW = { RATE_LIMIT_BURST: "3", RATE_LIMIT_PER_SECOND: "1" };

it.each([
  ["exports", "GET", "/api/v1/bulk-exports", "detail"],
  ["OAuth", "GET", "/v2/auth/tokens", "detail"],
  ["ingest", "POST", "/runs/batch", "error"],
] as const)("requests of one key above the rate answer 429 with Retry-After: %s", async (_, method, path, member) => {
  const workspace = await newWorkspace();
  // Otherwise a slow machine would take longer for the requests than the refill of a token.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const ask = () =>
    callWith(SLOW, method, path, { headers: workspace.headers, ...(method === "POST" ? { body: {} } : {}) });
  const answers = await Promise.all(Array.from({ length: 8 }, ask));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(3);
  for (const { headers, body } of refused) {
    expect(headers.get("Retry-After")).toBe("1");
    expect(headers.get("RateLimit-Policy")).toBe('"key";q=3;w=3');
    expect(headers.get("RateLimit")).toBe('"key";r=0;t=1');
    expect(body).toEqual({ [member]: expect.stringContaining("Too many requests") });
  }
  // Another key of the same workspace has its own rate.
  const other = await newKey(workspace.id, "manage");
  expect((await callWith(SLOW, "GET", "/sessions", { headers: other.headers })).status).toBe(200);
});

it("the answer to a key that is not valid has no rate limit headers", async () => {
  const headers = { "X-API-Key": `wbk_${crypto.randomUUID().replaceAll("-", "")}_${"a".repeat(43)}` };
  const answers = await Promise.all(Array.from({ length: 8 }, () => callWith(SLOW, "GET", "/sessions", { headers })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});

it("requests pass when the limiter cannot be reached", async () => {
  const { headers } = await newWorkspace();
  const away = { RATE_LIMITER: "none" };
  expect((await callWith(away, "GET", "/sessions", { headers })).status).toBe(200);
  expect((await call("GET", "/sessions", { headers })).status).toBe(200);
});

it("a request that is cancelled while it calls the limiter does not make each later request call it", async () => {
  let asked = 0;
  const limiter = (answer: (asking: Request) => Promise<Response>) =>
    ({ RATE_LIMITER: { idFromName: (name: string) => name, get: () => ({ fetch: answer }) } }) as unknown as Env;
  const keyHash = crypto.randomUUID();
  void checkRate(
    limiter(() => new Promise(() => {})),
    keyHash,
  ); // never resolves, as in an interrupted request
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const generous = limiter(async ({ headers }) => {
    asked += 1;
    const [, wanted] = JSON.parse(headers.get("do-content") ?? "[]");
    return Response.json({ taken: wanted, waitMs: 0 });
  });
  for (let request = 0; request < 20; request += 1) expect(await checkRate(generous, keyHash)).toBeNull();
  expect(asked).toBe(2);
});
