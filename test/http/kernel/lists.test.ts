import { expect, it } from "vitest";
import type { ListBatch, ListBatchQuery } from "../../../durable/protocol/list-batch.ts";
import type { WorkspaceProtocol } from "../../../durable/protocol/workspace.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { RevisionRecord } from "../../../src/domain/deployment/records.ts";
import type { ExportRunRecord } from "../../../src/domain/export-run/records.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { exportRecordOf } from "../../../src/domain/workspace/view.ts";
import { check, config, definition, deploymentDefinition, NOW } from "../../support/samples.ts";
import { call, callWith, DESTINATIONS, EXPORTS, newWorkspace } from "../client.ts";

/** Lists that actors return in several batches. */

const TENANT = "a0000000-0000-4000-8000-000000000001";
const IDS = [1, 2, 3, 4].map((n) => `b0000000-0000-4000-8000-00000000000${n}`);
const headers = {
  "X-API-Key": `wbk_${TENANT.replaceAll("-", "")}_${"a".repeat(43)}`,
  "X-Tenant-Id": TENANT,
};

/** One record in each batch. */
const oneByOne =
  <T>(record: (id: string) => T) =>
  async ({ offset, limit, after }: ListBatchQuery): Promise<ListBatch<T>> => {
    const at = after === null ? offset : IDS.indexOf(after) + 1;
    const id = IDS[at] ?? "";
    return { items: [record(id)], next: limit === 1 || at + 1 === IDS.length ? null : id };
  };

const progress = { rowsPlanned: 0, rowsWritten: 0, updatedAt: NOW, finishedAt: null, pausedAt: null };
const report = { status: "CREATED", ...progress } as const;
const exports = oneByOne((id) =>
  exportRecordOf({ definition: { ...definition, id }, admitted: false, seq: -1, report }),
);
const since = { createdAt: NOW, updatedAt: NOW };
const destinations = oneByOne((id) => ({
  id,
  tenantId: TENANT,
  displayName: "d",
  config,
  credentialsKeys: [],
  check,
  ...since,
}));
const runs = oneByOne(
  (id): ExportRunRecord => ({
    id,
    exportId: TENANT,
    projectId: TENANT,
    status: "CREATED",
    ...since,
    finishedAt: null,
    start: NOW,
    end: NOW + 1,
    late: false,
    retryNumber: 0,
    failures: [],
    exportFailure: null,
    openUpload: null,
    prefix: "",
    progress: null,
  }),
);

const content = { ...NO_CONTENT, configPath: "waybill.json" };
const revisions = oneByOne(
  (id): RevisionRecord => ({
    id,
    deploymentId: TENANT,
    status: id === IDS[1] ? "DEPLOYED" : "SKIPPED",
    failure: null,
    redeployOf: null,
    content,
    definition: deploymentDefinition,
    ...since,
  }),
);

const home: Partial<WorkspaceProtocol> = {
  authorize: async () => ok({ tenantId: TENANT, userId: "default", plan: "plus", role: "manage" } as const),
  listExports: exports,
  listDestinations: destinations,
  listRuns: async (query) => ok(await runs(query)),
  listScheduleRuns: async (query) => ok(await runs(query)),
};
const bindings = {
  WORKSPACE: { getByName: () => home },
  DEPLOYMENT: { getByName: () => ({ revisions: async (query: ListBatchQuery) => ok(await revisions(query)) }) },
} as unknown as Readonly<Record<string, string>>; // bindings, not settings

it.each([EXPORTS, DESTINATIONS, `${EXPORTS}/${TENANT}/runs`, `${EXPORTS}/runs?source_bulk_export_id=${TENANT}`])(
  "%s lists all records, or all of a page, from any number of batches",
  async (path) => {
    const listed = async (query: string) => {
      const answer = await callWith(bindings, "GET", `${path}${path.includes("?") ? "&" : "?"}${query}`, { headers });
      return answer.body.map(({ id }: { id: string }) => id);
    };
    expect(await listed("")).toEqual(IDS);
    expect(await listed("offset=1")).toEqual(IDS.slice(1));
    expect(await listed("offset=1&limit=2")).toEqual(IDS.slice(1, 3));
  },
);

it("the revisions of a deployment are listed across all batches", async () => {
  const listed = async (query: string) => {
    const { body } = await callWith(bindings, "GET", `/v2/deployments/${TENANT}/revisions${query}`, { headers });
    return body.resources.map(({ id }: { id: string }) => id);
  };
  expect(await listed("")).toEqual(IDS);
  expect(await listed("?limit=2&offset=1")).toEqual(IDS.slice(1, 3));
  expect(await listed("?status=SKIPPED")).toEqual(IDS.filter((id) => id !== IDS[1]));
});

it("a list refuses an unknown filter, which would have no effect", async () => {
  const { headers } = await newWorkspace();
  const id = crypto.randomUUID();
  for (const path of [
    EXPORTS,
    DESTINATIONS,
    `${EXPORTS}/${id}/runs`,
    `${EXPORTS}/runs?source_bulk_export_id=${id}`,
    `${EXPORTS}/${id}/events`,
    `${EXPORTS}/${id}/runs/${id}/events`,
    `/v2/deployments/${id}/events`,
    "/api/v1/sessions",
    "/feedback",
    "/v2/auth/tokens",
    "/v2/deployments",
    `/v2/deployments/${id}/revisions`,
    "/v2/listeners",
  ]) {
    const answer = await call("GET", `${path}${path.includes("?") ? "&" : "?"}state=new`, { headers });
    const [fault] = answer.body?.detail ?? [];
    expect([path, answer.status, fault?.loc, fault?.type]).toEqual([path, 422, ["query", "state"], "extra_forbidden"]);
  }
});

it("a misspelt as_of is refused, because the current record would be mistaken for a past one", async () => {
  const { headers } = await newWorkspace();
  const id = crypto.randomUUID();
  for (const path of [`${EXPORTS}/${id}`, `${EXPORTS}/${id}/runs/${id}`]) {
    const answer = await call("GET", `${path}?asof=1`, { headers });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["query", "asof"]]);
  }
});
