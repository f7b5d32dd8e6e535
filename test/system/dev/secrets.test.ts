import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { takeLeaks } from "../../support/secrets/leaks.ts";
import { MARK } from "../../support/secrets/mark.ts";

/** Plants leaks in a service's answers; taking the findings keeps the test from failing. */

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === "/stream") {
      response.setHeader("Content-Type", "text/event-stream");
      for (const piece of [`data: ${MARK.slice(0, 5)}`, `${MARK.slice(5)}\n\n`]) {
        response.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return response.end();
    }
    if (request.url === "/header") response.setHeader("Location", `/?code=${MARK}`);
    response.end(JSON.stringify({ token: request.url === "/header" ? null : MARK }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
});
afterAll(() => {
  server.close();
});

it("a secret in an answer is found, even if the answer is not read", async () => {
  await fetch(`${url}/runs`);
  await fetch(`${url}/header`, { redirect: "manual" });
  expect(takeLeaks()).toEqual([
    "a secret in the answer to GET /runs",
    "a secret in the answer to GET /header, in a header",
  ]);
});

it("a secret in a stream is found, also across chunks", async () => {
  await (await fetch(`${url}/stream`)).text();
  expect(takeLeaks()).toContain("a secret in the stream of /stream");
});

it("a token in the answer to its own user is not a leak", async () => {
  await fetch(`${url}/v2/auth/wait/1?timeout=0`);
  expect(takeLeaks()).toEqual([]);
});

it("a secret that the search could not find is refused in a request", async () => {
  const body = JSON.stringify({ credentials: { session_token: "without a mark" } });
  await expect(fetch(url, { method: "POST", body })).rejects.toThrow("session_token does not hold");
});
