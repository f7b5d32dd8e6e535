import { beforeAll, describe, expect, it } from "vitest";
import { call, newKey, newWorkspace, type TestWorkspace } from "../client.ts";
import { agentKey, agentSource, deploy, settled } from "../deployments/deploying.ts";

interface Operation {
  readonly method: string;
  /** With some id for each of its parameters. */
  readonly path: string;
}

/** The documented operations that an API key gives access to. */
const operations = async (): Promise<readonly Operation[]> => {
  const { paths } = (await call("GET", "/openapi.json")).body;
  return Object.entries<Record<string, { security?: object[] }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((scheme) => "API Key" in scheme))
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, crypto.randomUUID()) })),
  );
};

/** Sends an invalid request to each operation; what is not forbidden gets as far as its parameters. */
const allowed = async (workspace: TestWorkspace, apiKey: string): Promise<readonly string[]> => {
  const headers = { "X-API-Key": apiKey, "X-Tenant-Id": workspace.id };
  const answers = await Promise.all(
    (await operations()).map(async ({ method, path }) => {
      const body = method === "GET" ? {} : { body: {} };
      return { name: `${method} ${path}`, answer: await call(method, path, { headers, ...body }) };
    }),
  );
  for (const { name, answer } of answers) expect(answer.status, name).not.toBe(401);
  return answers
    .filter(({ answer }) => answer.status !== 403)
    .map(({ name }) => name.replace(/[0-9a-f-]{36}/g, "{id}"));
};

const SENDING = [
  "POST /api/v1/runs/batch",
  "POST /api/v1/runs/multipart",
  "POST /api/v1/runs",
  "PATCH /api/v1/runs/{id}",
  "POST /api/v1/otel/v1/traces",
  "POST /api/v1/feedback",
];

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

describe("a key of the role", () => {
  it("ingest can send traces and feedback, and nothing else", async () => {
    const { apiKey } = await newKey(workspace.id, "ingest");
    expect((await allowed(workspace, apiKey)).toSorted()).toEqual(SENDING.toSorted());
    const refused = await call("GET", "/v2/auth/tokens", { headers: { "X-API-Key": apiKey } });
    expect(refused.body.detail).toBe("This API key may only send traces and feedback; use one with the role manage.");
  });

  it("read may read, and nothing else", async () => {
    const { apiKey } = await newKey(workspace.id, "read");
    const others = (await allowed(workspace, apiKey)).filter((name) => !name.startsWith("GET "));
    expect(others).toEqual(["POST /api/v1/runs/query"]);
  });

  it("manage can do everything", async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThan(50);
    expect(await allowed(workspace, workspace.apiKey)).toHaveLength(all.length);
  });
});

it("the key of a deployed agent can only send: it creates no export and no deployment, and reads no tokens", async () => {
  const created = await deploy(workspace, agentSource("return Response.json([...env.LANGSMITH_API_KEY]);"));
  await settled(workspace, created.id, created.latest_revision_id);
  const names = await allowed(workspace, await agentKey(workspace, created.id));
  expect(names.toSorted()).toEqual(SENDING.toSorted());
});
