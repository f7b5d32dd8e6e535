import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeployment, readDeployment, untilSettled } from "../../../dev/control-plane.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";
import { tarballOf } from "../../support/tarball.ts";

const LOOK_EVERY_MS = 50;

/** Sends a request to the internet, which is a server on this machine here, and returns its answer. */
const CURIOUS = `export default { async fetch(request, env) {
  if (new URL(request.url).pathname === "/ok") return new Response("ok");
  const answer = await fetch(env.OUTSIDE);
  return new Response(answer.status + " " + await answer.text());
} };`;

let waybill: OwnWaybill;
let outside: Server;
let origin: string;

beforeAll(async () => {
  const tarball = tarballOf([
    { path: "waybill.json", content: '{"main": "server.js"}' },
    { path: "server.js", content: CURIOUS },
  ]);
  outside = createServer((request, response) => {
    if (request.url === "/agent.tar.gz") return response.end(tarball);
    if (request.url === "/moved.tar.gz") return response.writeHead(302, { Location: "/agent.tar.gz" }).end();
    if (request.url === "/endless.tar.gz") return response.end(Buffer.alloc(10 * 1024 * 1024 + 1));
    return response.end("hello from outside");
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  waybill = await startOwnWaybill();
});

afterAll(async () => {
  await waybill.stop();
  outside.close();
});

const deploy = async (file: string, allowNetwork: boolean) => {
  const created = await createDeployment(waybill.config, {
    name: `from ${file}, ${allowNetwork}`,
    source: "internal_source",
    source_config: { allow_outbound_network: allowNetwork },
    source_revision_config: { langgraph_config_path: "waybill.json", source_tarball_path: `${origin}/${file}` },
    secrets: [{ name: "OUTSIDE", value: `${origin}/` }],
  });
  const revision = await untilSettled(waybill.config, created, LOOK_EVERY_MS);
  return { revision, url: (await readDeployment(waybill.config, created.id)).url ?? "" };
};

const visit = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/`, { headers: { "X-API-Key": waybill.config.api_key } });
  return answer.text();
};

it("an agent server is downloaded from a URL, and reaches the network only if its source_config allows it", async () => {
  const free = await deploy("agent.tar.gz", true);
  expect(free.revision.status).toBe("DEPLOYED");
  expect(await visit(free.url)).toBe("200 hello from outside");
  const confined = await deploy("agent.tar.gz", false);
  expect(confined.revision.status).toBe("DEPLOYED");
  expect(await visit(confined.url)).toMatch(/^403 .*allow_outbound_network/);
});

it.each([
  ["moved.tar.gz", "without a redirect"],
  ["endless.tar.gz", "longer than"],
  ["nothing.tar.gz", "not a gzip file"],
])("a source at %s is refused, and the revision reports the reason", async (file, reason) => {
  const { revision } = await deploy(file, false);
  expect(revision).toMatchObject({ status: "BUILD_FAILED", failure: { message: expect.stringContaining(reason) } });
});
