import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { MARK } from "../../support/secrets/mark.ts";
import { call, callWith, newProject, newWorkspace, openStream, type TestWorkspace } from "../client.ts";
import {
  agentKey,
  agentSource,
  answering,
  ask,
  bodyOf,
  create,
  DEPLOYMENTS,
  deploy,
  patch,
  settled,
  upload,
  WITHIN,
} from "./deploying.ts";

type Remote = Readonly<Record<string | symbol, (...sent: unknown[]) => Promise<unknown>>>;

let workspace: TestWorkspace;
let other: TestWorkspace;

beforeAll(async () => {
  workspace = await newWorkspace();
  other = await newWorkspace();
});

const get = (path: string, who = workspace) => call("GET", `${DEPLOYMENTS}${path}`, { headers: who.headers });

describe("a deployment at the edge", () => {
  it("is created with its first revision, becomes DEPLOYED, and is served below /deployments/{id}", async () => {
    const created = await deploy(workspace, agentSource("return new Response(new URL(request.url).pathname);"));
    expect(created).toMatchObject({
      tenant_id: workspace.id,
      source: "internal_source",
      status: "READY",
      latest_revision_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      active_revision_id: null,
    });
    const revision = await settled(workspace, created.id, created.latest_revision_id);
    expect(revision).toMatchObject({ status: "DEPLOYED", failure: null, source: "internal_source" });
    const { body } = await get(`/${created.id}`);
    expect(body).toMatchObject({
      active_revision_id: created.latest_revision_id,
      url: `https://waybill.test/deployments/${created.id}`,
    });
    const answer = await ask(workspace, created.id, "/threads/1");
    expect([answer.status, answer.text]).toEqual([200, "/threads/1"]);
  });

  it("has a tracing project with its name, and a key with which its agent sends traces there", async () => {
    const source = agentSource(`
      if (new URL(request.url).pathname === "/ok") return new Response("ok");
      const id = crypto.randomUUID();
      const run = { id, trace_id: id, name: "turn", run_type: "chain", session_name: env.LANGSMITH_PROJECT,
        start_time: new Date().toISOString(), inputs: {} };
      const sent = await fetch(env.LANGSMITH_ENDPOINT + "/runs", { method: "POST", body: JSON.stringify(run),
        headers: { "X-API-Key": env.LANGSMITH_API_KEY, "Content-Type": "application/json" } });
      return new Response(sent.status + " " + id);`);
    const created = await deploy(workspace, source);
    await settled(workspace, created.id, created.latest_revision_id);
    const { text } = await ask(workspace, created.id, "/turn");
    expect(text).toMatch(/^202 /);
    const query = `?name=${encodeURIComponent(created.name)}`;
    const projects = await call("GET", `/api/v1/sessions${query}`, { headers: workspace.headers });
    expect(projects.body).toHaveLength(1);
  });

  it("passes its secrets to its agent only", async () => {
    const secrets = [{ name: "MODEL_KEY", value: MARK }];
    const source = agentSource(`return new Response(env.MODEL_KEY === "${MARK}" ? "knows it" : "does not");`);
    const created = await deploy(workspace, source, { secrets });
    expect(created.secrets).toEqual([{ name: "MODEL_KEY" }]);
    await settled(workspace, created.id, created.latest_revision_id);
    expect((await ask(workspace, created.id)).text).toBe("knows it");
    const shown = [
      await get(""),
      await get(`/${created.id}`),
      await get(`/${created.id}/revisions`),
      await get(`/${created.id}/events`),
    ];
    expect(shown.map((one) => one.status)).toEqual([200, 200, 200, 200]);
    for (const one of shown) expect(one.text).not.toContain("wbe1"); // not encrypted either
  });

  it("cannot reach the internet, unless its source_config allows it", async () => {
    const created = await deploy(
      workspace,
      agentSource(`
      if (new URL(request.url).pathname === "/ok") return new Response("ok");
      const answer = await fetch("https://example.com/"); return new Response(answer.status + await answer.text());`),
    );
    await settled(workspace, created.id, created.latest_revision_id);
    expect((await ask(workspace, created.id)).text).toMatch(/^403.*allow_outbound_network/);
  });

  it("does not call deployments through this service, however the path is escaped", async () => {
    const source = agentSource(`
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/ok") return new Response("ok");
      const headers = { "X-API-Key": request.headers.get("X-Key") };
      return fetch(env.LANGSMITH_ENDPOINT + searchParams.get("to"), { headers });`);
    const created = await deploy(workspace, source);
    await settled(workspace, created.id, created.latest_revision_id);
    const headers = { ...workspace.headers, "X-Key": workspace.apiKey };
    for (const folder of ["deployments", "%64eployments", "%2564eployments"]) {
      const to = encodeURIComponent(`/${folder}/${created.id}/ok`);
      const { status } = await call("GET", `/deployments/${created.id}/call?to=${to}`, { headers });
      expect([folder, status]).toEqual([folder, folder === "%2564eployments" ? 404 : 403]);
    }
  });

  it("receives its own part of the path as it was sent, however the prefix is escaped", async () => {
    const created = await deploy(workspace, agentSource("return new Response(new URL(request.url).pathname);"));
    await settled(workspace, created.id, created.latest_revision_id);
    for (const [path, seen] of [
      [`/%64eployments/${created.id}/in/a%20b`, "/in/a%20b"],
      [`/deployments/${created.id}/a%2Fb//c/`, "/a%2Fb//c/"],
      [`/deployments/${created.id}`, "/"],
    ] as const)
      expect((await call("GET", path, { headers: workspace.headers })).text).toBe(seen);
  });

  it("does not receive its caller's key in any header, but receives its own Authorization header", async () => {
    const created = await deploy(workspace, agentSource("return Response.json(Object.fromEntries(request.headers));"));
    await settled(workspace, created.id, created.latest_revision_id);
    const { apiKey } = workspace;
    const bearer = { Authorization: `Bearer ${apiKey}` };
    for (const headers of [{ "X-API-Key": apiKey }, bearer, { "X-API-Key": "", ...bearer }]) {
      const { status, body } = await call("GET", `/deployments/${created.id}/`, { headers });
      expect(status).toBe(200);
      expect(body).not.toHaveProperty("x-api-key");
      expect(body).not.toHaveProperty("authorization");
      expect(body["x-forwarded-prefix"]).toBe(`/deployments/${created.id}`);
    }
    const headers = { "X-API-Key": apiKey, Authorization: "Bearer of the agent" };
    const own = await call("GET", `/deployments/${created.id}/`, { headers });
    expect(own.body.authorization).toBe("Bearer of the agent");
  });

  it("serves its old revision until the new one is healthy, also for a redeploy", async () => {
    const created = await deploy(workspace, answering("one"));
    const first = created.latest_revision_id;
    await settled(workspace, created.id, first);
    const path = await upload(workspace, answering("two"));
    const patched = await patch(workspace, created.id, { source_revision_config: { source_tarball_path: path } });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ active_revision_id: first });
    expect((await settled(workspace, created.id, patched.body.latest_revision_id)).status).toBe("DEPLOYED");
    expect((await ask(workspace, created.id)).text).toBe("two");

    const back = await call("POST", `${DEPLOYMENTS}/${created.id}/revisions/${first}/redeploy`, {
      headers: workspace.headers,
    });
    const again = await settled(workspace, created.id, back.body.latest_revision_id);
    expect(again).toMatchObject({ status: "DEPLOYED", redeploy_of: first });
    expect((await ask(workspace, created.id)).text).toBe("one");
    const listed = await get(`/${created.id}/revisions`);
    expect(listed.body.resources.map((one: { id: string }) => one.id)).toEqual([
      back.body.latest_revision_id,
      patched.body.latest_revision_id,
      first,
    ]);
    expect(listed.body.offset).toBe(3);
  });

  it.each([
    ["does not start", "export default {", "DEPLOY_FAILED", /Failed to start Worker.*Unexpected/s],
    ["has no fetch", "export default {};", "DEPLOY_FAILED", /fetch/],
    ["throws", "export default { fetch() { throw new Error('no model'); } };", "DEPLOY_FAILED", /no model/],
    [
      "answers 500",
      "export default { fetch: () => new Response('no database', { status: 500 }) };",
      "DEPLOY_FAILED",
      /^GET \/ok answered 500: no database$/,
    ],
  ])(
    "whose new revision %s reports a reason, and the previous revision keeps serving",
    async (_, code, status, message) => {
      const created = await deploy(workspace, answering("good"));
      await settled(workspace, created.id, created.latest_revision_id);
      const path = await upload(workspace, [
        { path: "waybill.json", content: '{"main": "server.js"}' },
        { path: "server.js", content: code },
      ]);
      const patched = await patch(workspace, created.id, { source_revision_config: { source_tarball_path: path } });
      const failed = await settled(workspace, created.id, patched.body.latest_revision_id);
      expect(failed).toMatchObject({
        status,
        failure: { reason: "not_healthy", message: expect.stringMatching(message) },
      });
      expect((await ask(workspace, created.id)).text).toBe("good");
    },
  );

  it("fails to build from a refused source, with a reason", async () => {
    const created = await deploy(workspace, [{ path: "../evil.js", content: "x" }]);
    const failed = await settled(workspace, created.id, created.latest_revision_id);
    expect(failed).toMatchObject({ status: "BUILD_FAILED", failure: { reason: "source_refused" } });
    expect(failed.failure.message).toContain("does not stay below the archive's root");
    const answer = await ask(workspace, created.id);
    expect([answer.status, answer.body.detail]).toEqual([
      503,
      "No revision serves yet; the latest one is BUILD_FAILED.",
    ]);
  });

  it("fails to create its revision when its source was not uploaded", async () => {
    const path = `uploads/${crypto.randomUUID()}.tar.gz`;
    const created = await create(workspace, bodyOf(path));
    const failed = await settled(workspace, created.body.id, created.body.latest_revision_id);
    expect(failed).toMatchObject({ status: "CREATE_FAILED", failure: { reason: "upload_missing" } });
  });

  it("is UNUSED without a source, until a PATCH brings one", async () => {
    const created = await create(workspace, bodyOf(null));
    expect(created.body).toMatchObject({ status: "UNUSED", latest_revision_id: null });
    const path = await upload(workspace, answering("late"));
    const config = { source_tarball_path: path, langgraph_config_path: "waybill.json" };
    const patched = await patch(workspace, created.body.id, { source_revision_config: config });
    expect(patched.body.status).toBe("READY");
    await settled(workspace, created.body.id, patched.body.latest_revision_id);
    expect((await ask(workspace, created.body.id)).text).toBe("late");
  });

  it("created before its source was uploaded runs that source with the settings of its creation", async () => {
    const secrets = [{ name: "MODEL_KEY", value: MARK }];
    const created = await create(workspace, bodyOf(null, { secrets, source_config: { install_command: "none" } }));
    const early = { secrets: [{ name: "MODEL_KEY" }], source_config: { install_command: "none" } };
    expect(created.body).toMatchObject({ ...early, source_revision_config: { langgraph_config_path: "waybill.json" } });
    const path = await upload(workspace, agentSource(`return new Response(String(env.MODEL_KEY === "${MARK}"));`));
    const patched = await patch(workspace, created.body.id, { source_revision_config: { source_tarball_path: path } });
    expect([patched.status, patched.body]).toMatchObject([200, early]);
    await settled(workspace, created.body.id, patched.body.latest_revision_id);
    expect((await ask(workspace, created.body.id)).text).toBe("true");
  });

  it("answers 502 when its code throws, without the error text", async () => {
    const source = agentSource(`
      if (new URL(request.url).pathname === "/ok") return new Response("ok");
      throw new Error("password is hunter2");`);
    const created = await deploy(workspace, source);
    await settled(workspace, created.id, created.latest_revision_id);
    const answer = await ask(workspace, created.id, "/x");
    expect(answer.status).toBe(502);
    expect(answer.text).not.toContain("hunter2");
  });

  it("loses its routes, its key and its record when it is deleted", async () => {
    const created = await deploy(workspace, agentSource("return Response.json([...env.LANGSMITH_API_KEY]);"));
    await settled(workspace, created.id, created.latest_revision_id);
    const headers = { "X-API-Key": await agentKey(workspace, created.id) };
    const send = () => call("POST", "/runs/batch", { headers, body: {} });
    expect((await send()).status).toBe(202);
    const gone = await call("DELETE", `${DEPLOYMENTS}/${created.id}`, { headers: workspace.headers });
    expect(gone.status).toBe(204);
    expect((await get(`/${created.id}`)).body.detail).toContain(created.id);
    expect((await ask(workspace, created.id)).status).toBe(404);
    await expect.poll(async () => (await send()).status).toBe(401);
  });

  it("leaves its tracing project in place, unless delete_tracing_project is true", async () => {
    const projects = async (name: string) => {
      const query = `?name=${encodeURIComponent(name)}`;
      return (await call("GET", `/api/v1/sessions${query}`, { headers: workspace.headers })).body.length;
    };
    for (const [query, left] of [
      ["", 1],
      ["?delete_tracing_project=true", 0],
    ] as const) {
      const created = await deploy(workspace, answering("brief"));
      await settled(workspace, created.id, created.latest_revision_id);
      await call("DELETE", `${DEPLOYMENTS}/${created.id}${query}`, { headers: workspace.headers });
      expect(await projects(created.name)).toBe(left);
    }
  });

  it("is deleted with the project that its agents traced to, even if renamed, without creating one", async () => {
    const mine = await newWorkspace();
    const { headers } = mine;
    const names = async () => {
      const { body } = await call("GET", "/api/v1/sessions", { headers });
      return body.map(({ name }: { name: string }) => name);
    };
    const remove = async (id: string) => {
      const gone = await call("DELETE", `${DEPLOYMENTS}/${id}?delete_tracing_project=true`, { headers });
      expect(gone.status).toBe(204);
    };
    const renamed = await deploy(mine, answering("brief"));
    await settled(mine, renamed.id, renamed.latest_revision_id);
    const [project] = (await call("GET", "/api/v1/sessions", { headers })).body;
    await call("PATCH", `/api/v1/sessions/${project.id}`, { headers, body: { name: "renamed" } });
    await newProject(mine, renamed.name);
    await remove(renamed.id);
    expect(await names()).toEqual([renamed.name]);

    const bare = await deploy(mine, answering("brief"));
    await settled(mine, bare.id, bare.latest_revision_id);
    const [its] = (await call("GET", "/api/v1/sessions", { headers })).body;
    await call("DELETE", `/api/v1/sessions/${its.id}`, { headers });
    await remove(bare.id);
    expect(await names()).toEqual([renamed.name]);
  });

  it("is deleted with its project although the deletion was interrupted right after it was recorded", async () => {
    const mine = await newWorkspace();
    const { headers } = mine;
    const created = await deploy(mine, answering("brief"));
    await settled(mine, created.id, created.latest_revision_id);
    const cutOff = (name: string) =>
      new Proxy(env.WORKSPACE.getByName(name), {
        get: (stub, method) =>
          method === "deleteProject"
            ? () => Promise.reject(new Error("cut off"))
            : (...sent: unknown[]) => (stub as unknown as Remote)[method]?.(...sent),
      });
    const workspaces = { WORKSPACE: { getByName: cutOff } } as unknown as Readonly<Record<string, string>>; // a binding, not a setting
    const path = `${DEPLOYMENTS}/${created.id}?delete_tracing_project=true`;
    await callWith(workspaces, "DELETE", path, { headers });
    expect((await call("DELETE", path, { headers })).status).toBe(404);
    await expect.poll(async () => (await call("GET", "/api/v1/sessions", { headers })).body, WITHIN).toEqual([]);
  });

  it("without a recorded project is deleted with the project of its name, if there is one", async () => {
    const mine = await newWorkspace();
    const { headers } = mine;
    const other = await newProject(mine, "other");
    for (const left of ["its project", "nothing"]) {
      const created = await deploy(mine, answering("old"));
      await settled(mine, created.id, created.latest_revision_id);
      const actor = env.DEPLOYMENT.getByName(`deployment/${mine.id}/${created.id}`);
      await runInDurableObject(actor, (_, { storage }) => {
        storage.sql.exec("DELETE FROM event WHERE type = 'ProjectOpened'");
      });
      await evictDurableObject(actor);
      const [its] = (await call("GET", "/api/v1/sessions", { headers })).body;
      if (left === "nothing") await call("DELETE", `/api/v1/sessions/${its.id}`, { headers });
      const path = `${DEPLOYMENTS}/${created.id}?delete_tracing_project=true`;
      expect((await call("DELETE", path, { headers })).status).toBe(204);
      const { body } = await call("GET", "/api/v1/sessions", { headers });
      expect(body.map(({ id }: { id: string }) => id)).toEqual([other]);
    }
  });
});

describe("deployments", () => {
  it("of another workspace are not found", async () => {
    const created = await deploy(workspace, answering("mine"));
    await settled(workspace, created.id, created.latest_revision_id);
    for (const path of [`/${created.id}`, `/${created.id}/revisions`, `/${created.id}/events`])
      expect((await get(path, other)).status).toBe(404);
    expect((await ask(other, created.id)).status).toBe(404);
    expect((await patch(other, created.id, {})).status).toBe(404);
  });

  it("require a key for every request, also to their agents", async () => {
    const created = await deploy(workspace, answering("mine"));
    expect((await call("GET", `/deployments/${created.id}/`)).status).toBe(401);
    expect((await call("GET", DEPLOYMENTS)).status).toBe(401);
  });

  it("have unique names within their workspace", async () => {
    const body = bodyOf(null, { name: "only one" });
    expect((await create(other, body)).status).toBe(201);
    expect((await create(other, body)).status).toBe(409);
    expect((await create(workspace, body)).status).toBe(201);
  });

  it("are listed newest first, paged and filtered", async () => {
    const mine = await newWorkspace();
    const ids: string[] = [];
    for (const name of ["alpha", "beta", "gamma"]) {
      const config = { deployment_type: name === "beta" ? "prod" : "dev" };
      ids.push((await create(mine, bodyOf(null, { name, source_config: config }))).body.id);
    }
    const list = async (query: string) => {
      const { body } = await get(query, mine);
      return [body.resources.map((one: { name: string }) => one.name), body.offset];
    };
    expect(await list("")).toEqual([["gamma", "beta", "alpha"], 3]);
    expect(await list("?limit=2")).toEqual([["gamma", "beta"], 2]);
    expect(await list("?limit=2&offset=2")).toEqual([["alpha"], 3]);
    expect(await list("?name_contains=ALPH")).toEqual([["alpha"], 1]);
    expect(await list("?deployment_type=prod")).toEqual([["beta"], 1]);
    expect(await list("?status=READY")).toEqual([[], 0]);
    expect(await list("?remote_reconciled=true")).toEqual([["gamma", "beta", "alpha"], 3]);
    expect(await list(`?deployment_ids=${ids[0]},${ids[2]}`)).toEqual([["gamma", "alpha"], 2]);
    const none = await call("DELETE", DEPLOYMENTS, { headers: mine.headers });
    expect([none.status, none.body.detail]).toEqual([
      422,
      [{ loc: ["query", "deployment_ids"], msg: "Field required", type: "missing" }],
    ]);
    const some = `${DEPLOYMENTS}?deployment_ids=${ids[0]},${crypto.randomUUID()}`;
    const deleted = await call("DELETE", some, { headers: mine.headers });
    expect([deleted.status, deleted.body.deleted]).toEqual([207, [ids[0]]]);
    const rest = await call("DELETE", `${DEPLOYMENTS}?deployment_ids=${ids[1]}`, { headers: mine.headers });
    expect(rest.status).toBe(200);
    expect((await call("DELETE", some, { headers: mine.headers })).status).toBe(404);
  });

  it.each([
    [{ name: undefined }, ["body", "name"], "missing"],
    [{ source: "internal_docker" }, ["body", "source"], "enum"],
    [{ source_revision_config: {} }, ["body", "source_revision_config", "langgraph_config_path"], "missing"],
    [{ source_config: { repo_url: "https://example.com/x" } }, ["body", "source_config", "repo_url"], "value_error"],
    [
      { source: "external_docker", source_revision_config: {} },
      ["body", "source_revision_config", "image_uri"],
      "missing",
    ],
    [{ secrets: [{ name: "LANGSMITH_API_KEY", value: MARK }] }, ["body", "secrets", 0, "name"], "value_error"],
    [{ surprise: 1 }, ["body", "surprise"], "extra_forbidden"],
    [
      {
        source_revision_config: {
          langgraph_config_path: "a.json",
          source_tarball_path: "https://169.254.169.254/latest.tar.gz",
        },
      },
      ["body", "source_revision_config", "source_tarball_path"],
      "value_error",
    ],
  ])("are refused with HTTPValidationError: %j", async (change, loc, type) => {
    const answer = await create(workspace, bodyOf(null, change));
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toEqual({ loc, msg: expect.any(String), type });
  });

  it("have events, also as a live stream", async () => {
    const created = await deploy(workspace, answering("history"));
    await settled(workspace, created.id, created.latest_revision_id);
    const { body } = await get(`/${created.id}/events`);
    const moves = body.events.filter((one: { type: string }) => one.type === "RevisionMoved");
    expect(moves.map((one: { data: { status: string } }) => one.data.status)).toEqual([
      "QUEUED",
      "AWAITING_BUILD",
      "BUILDING",
      "AWAITING_DEPLOY",
      "DEPLOYING",
      "DEPLOYED",
    ]);
    const readLive = await openStream(`${DEPLOYMENTS}/${created.id}/events`, {
      headers: { ...workspace.headers, Accept: "text/event-stream" },
    });
    await get(`/${created.id}/events`); // gives the stream requested before time to start
    await call("DELETE", `${DEPLOYMENTS}/${created.id}`, { headers: workspace.headers });
    expect((await readLive()).text).toMatch(/^event: DeploymentCreated$.*^event: DeploymentCleaned$/ms);
  });
});

describe("an upload", () => {
  it("needs a valid ticket", async () => {
    expect((await call("PUT", "/v2/uploads/wbe1.a.b.c", { body: new Uint8Array([0x1f, 0x8b]) })).status).toBe(403);
  });

  it("must be gzip, and within the size limit", async () => {
    const { body } = await call("POST", `${DEPLOYMENTS}/upload-url`, { headers: workspace.headers });
    const { pathname } = new URL(body.upload_url);
    expect((await call("PUT", pathname, { body: "hello" })).status).toBe(422);
    const long = new Uint8Array(10 * 1024 * 1024 + 1);
    expect((await call("PUT", pathname, { body: long })).status).toBe(413);
  });
});
