import { describe, expect, it } from "vitest";
import type { WorkspaceProtocol } from "../../../durable/protocol/workspace.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { callWith, EXPORTS } from "../client.ts";

/** Replaces the workspace actors, and fails as they would. */
const workspaces = (trouble: Partial<WorkspaceProtocol>) =>
  ({ WORKSPACE: { getByName: () => trouble } }) as unknown as Readonly<Record<string, string>>; // a binding, not a setting

const TENANT = "a0000000-0000-4000-8000-000000000001";
const headers = {
  "X-API-Key": `wbk_${TENANT.replaceAll("-", "")}_${"a".repeat(43)}`,
  "X-Tenant-Id": TENANT,
};
const authorize = async () => ok({ tenantId: TENANT, userId: "default", plan: "plus", role: "manage" } as const);

/** A request of an OpenTelemetry exporter. */
const oneSpan = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "0af7651916cd43dd8448eb211c80319c",
              spanId: "b7ad6b7169203331",
              name: "n",
              startTimeUnixNano: "1709633472000000000",
              endTimeUnixNano: "1709633473000000000",
            },
          ],
        },
      ],
    },
  ],
};

const failing = (mark: object) => ({
  authorize: async () => {
    throw Object.assign(new Error("inside 1"), mark);
  },
});

it.each([{ overloaded: true }, { retryable: true }])(
  "an actor that is %o answers 503 with Retry-After",
  async (mark) => {
    const answer = await callWith(workspaces(failing(mark)), "GET", EXPORTS, { headers });
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(answer.body).toEqual({ detail: expect.stringMatching(/^The service is busy; .* Fault [0-9a-f-]{36}\.$/) });
  },
);

it("ingest clients get the error in their format, so that they send again", async () => {
  const sent = { headers, body: { post: [] } };
  const answer = await callWith(workspaces(failing({ overloaded: true })), "POST", "/runs/batch", sent);
  expect([answer.status, answer.headers.get("Retry-After"), Object.keys(answer.body)]).toEqual([503, "1", ["error"]]);
});

it.each([
  ["database or disk is full: SQLITE_FULL", 503, /^The storage of the service is full or failing\. Make room/],
  ["disk I/O error: SQLITE_IOERR", 503, /^The storage of the service is full or failing\./],
  [
    "internal error; reference = abc",
    503,
    /^Storage of workspace\/1 \(0a\.sqlite\) cannot be opened: the disk is full,/,
  ],
  ["database disk image is malformed: SQLITE_CORRUPT", 500, /^Storage of workspace\/1 \(0a\.sqlite\) is damaged\./],
  ["file is not a database: SQLITE_NOTADB", 500, /^Storage of workspace\/1 \(0a\.sqlite\) is damaged\./],
])("storage that fails with %s answers %i and names what failed", async (message, status, detail) => {
  const authorize = async () => {
    throw Object.assign(new Error(message), { retryable: true });
  };
  const stub = { authorize, name: "workspace/1", id: "0a" };
  const answer = await callWith(workspaces(stub as Partial<WorkspaceProtocol>), "GET", EXPORTS, { headers });
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([status, status === 503 ? "10" : null]);
  expect(answer.body.detail).toMatch(detail);
  const spans = await callWith(workspaces(stub as Partial<WorkspaceProtocol>), "POST", "/otel/v1/traces", {
    headers,
    body: oneSpan,
  });
  expect([spans.status, spans.headers.get("Retry-After")]).toEqual([503, status === 503 ? "10" : "1"]);
});

it("any other fault answers 500 without its message", async () => {
  const answer = await callWith(workspaces(failing({})), "GET", EXPORTS, { headers });
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([500, null]);
  expect(answer.text).not.toContain("inside 1");
});

it("too many unfinished exports answer 429 with Retry-After", async () => {
  const trouble: Partial<WorkspaceProtocol> = {
    authorize,
    createExport: async () => ({ ok: false, failure: { reason: "capacity", message: "Full.", retryAfterSeconds: 60 } }),
  };
  const body = {
    bulk_export_destination_id: TENANT,
    session_id: TENANT,
    start_time: "2030-01-01T00:00:00Z",
    end_time: "2030-01-02T00:00:00Z",
  };
  const answer = await callWith(workspaces(trouble), "POST", EXPORTS, { headers, body });
  expect([answer.status, answer.headers.get("Retry-After"), answer.body]).toEqual([429, "60", { detail: "Full." }]);
});

describe("feedback and patches above the limit of unrouted changes", () => {
  const full = { ok: false, failure: { reason: "capacity", message: "Full.", retryAfterSeconds: 60 } } as const;
  const bindings = {
    ...workspaces({ authorize }),
    UNROUTED: { getByName: () => ({ route: async () => full, editFeedback: async () => full }) },
  } as unknown as Readonly<Record<string, string>>; // bindings, not settings
  it.each<[method: string, path: string, body: object | undefined, problem: object]>([
    ["POST", "/feedback", { run_id: TENANT, key: "k" }, { detail: "Full." }],
    ["PATCH", `/feedback/${TENANT}`, { score: 1 }, { detail: "Full." }],
    ["DELETE", `/feedback/${TENANT}`, undefined, { detail: "Full." }],
    ["PATCH", `/runs/${TENANT}`, { end_time: 1 }, { error: "Full." }],
  ])("are answered with 429 and Retry-After: %s %s", async (method, path, body, problem) => {
    const answer = await callWith(bindings, method, path, { headers, ...(body === undefined ? {} : { body }) });
    expect([answer.status, answer.headers.get("Retry-After"), answer.body]).toEqual([429, "60", problem]);
  });
});

it("traces that arrive faster than they are sealed answer 429, also if the request has other errors", async () => {
  const full = { ok: false, failure: { reason: "capacity", message: "Full.", retryAfterSeconds: 10 } } as const;
  const project = {
    id: TENANT,
    tenantId: TENANT,
    name: "demo",
    shards: 1,
    description: null,
    extra: null,
    startTime: 0,
    endTime: null,
    retentionDays: null,
  };
  const bindings = {
    ...workspaces({ authorize, resolveProjects: async (asked) => asked.map(() => ok(project)) }),
    TRACE_SHARD: { getByName: () => ({ ingest: async () => full }) },
  } as unknown as Readonly<Record<string, string>>; // bindings, not settings
  const whole = { id: TENANT, session_name: "demo", start_time: "2030-01-01T00:00:00Z" };
  const sent = { headers, body: { post: [whole, { ...whole, id: "no" }] } };
  const answer = await callWith(bindings, "POST", "/runs/batch", sent);
  expect([answer.status, answer.headers.get("Retry-After"), answer.body]).toEqual([429, "10", { error: "Full." }]);
  const spans = await callWith(bindings, "POST", "/otel/v1/traces", { headers, body: oneSpan });
  expect([spans.status, spans.headers.get("Retry-After"), spans.body.message]).toEqual([429, "10", "Full."]);
});
