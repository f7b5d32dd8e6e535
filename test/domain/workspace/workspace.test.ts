import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryOf } from "../../../src/domain/export/again.ts";
import type { ExportDefinition, ExportReport } from "../../../src/domain/export/records.ts";
import { recordOfRunWithoutActor } from "../../../src/domain/export/run-view.ts";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import type { WorkspaceCommand, WorkspaceOrder } from "../../../src/domain/workspace/commands.ts";
import type { WorkspaceEvent } from "../../../src/domain/workspace/events.ts";
import { workspace } from "../../../src/domain/workspace/index.ts";
import { authorize, findRevokedKey } from "../../../src/domain/workspace/key-rules.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { config, definition, HOUR_MICROS, NOW, NOW_MICROS, planOf } from "../../support/samples.ts";

const { given } = specification(workspace);

const created: WorkspaceEvent = {
  type: "WorkspaceCreated",
  id: definition.tenantId,
  name: "acme",
  plan: "plus",
  at: NOW,
};
const newKey = { keyHash: "abc", label: "ci", role: "manage", userId: "default" } as const;
const key = { ...newKey, createdAt: NOW };
const project: Extract<WorkspaceEvent, { type: "ProjectCreated" }> = {
  type: "ProjectCreated",
  project: {
    id: definition.projectId,
    tenantId: definition.tenantId,
    name: "default",
    shards: 1,
    description: null,
    extra: null,
    retentionDays: null,
    startTime: NOW,
    endTime: null,
  },
  at: NOW,
};
const destination: WorkspaceEvent = { type: "DestinationAdded", id: definition.destinationId, config, at: NOW };
const exportNumber = (n: number) => ({ ...definition, id: `e${n}` });
const commandOf = (order: WorkspaceOrder): WorkspaceCommand => ({ ...order, tenantId: definition.tenantId, now: NOW });
const order = (wanted: ExportDefinition) => commandOf({ type: "CreateExport", definition: wanted, maxRunning: 15 });
const orderNumber = (n: number) => order(exportNumber(n));
const spawned = (wanted: ExportDefinition) => commandOf({ type: "SpawnExport", definition: wanted, maxRunning: 15 });
const reported = (id: string, seq: number, report: ExportReport, maxRunning = 15) =>
  commandOf({ type: "RecordExportReport", id, seq, report, maxRunning });
const admitted = (id: string): WorkspaceEvent => ({ type: "ExportAdmitted", id, at: NOW });
const ended: ExportReport = {
  status: "COMPLETED",
  rowsPlanned: 1,
  rowsWritten: 1,
  updatedAt: NOW,
  finishedAt: NOW,
  pausedAt: null,
};

const having = (...commands: WorkspaceCommand[]) => {
  const past: WorkspaceEvent[] = [created, project, destination];
  let state = given(...past).state;
  for (const command of commands)
    for (const event of eventsOf(workspace.decide(command, state))) {
      past.push(event);
      state = workspace.evolve(state, event);
    }
  return given(...past);
};

describe("a workspace", () => {
  it("accepts a key that it knows, and no other", () => {
    const { state } = given(created, { type: "KeyAdded", key, at: NOW });
    expect(authorize(state, "abc")).toEqual({
      ok: true,
      value: { tenantId: definition.tenantId, userId: "default", plan: "plus", role: "manage" },
    });
    expect(authorize(state, "abd")).toMatchObject({ ok: false, failure: { reason: "unauthorized" } });
    const revoked = given(created, { type: "KeyAdded", key, at: NOW }, { type: "KeyRevoked", keyHash: "abc", at: NOW });
    expect(authorize(revoked.state, "abc").ok).toBe(false);
  });

  it("never accepts a revoked key again, even when the call that adds it arrives later", () => {
    const added: WorkspaceEvent = { type: "KeyAdded", key, at: NOW };
    const revoked: WorkspaceEvent = { type: "KeyRevoked", keyHash: key.keyHash, at: NOW };
    given(created, added, revoked)
      .when(commandOf({ type: "AddKey", key: newKey }))
      .thenNothing();
  });

  it("records the revocation of an unknown key once, and reports that the key was unknown", () => {
    const revoked: WorkspaceEvent = { type: "KeyRevoked", keyHash: key.keyHash, at: NOW };
    const revoke = commandOf({ type: "RevokeKey", keyHash: key.keyHash });
    const { state } = given(created).when(revoke).then(revoked);
    expect(findRevokedKey(state, key.keyHash)).toMatchObject({ failure: { reason: "not_found", what: "API key" } });
    given(created, revoked).when(revoke).thenNothing();
    const late = given(created, revoked)
      .when(commandOf({ type: "AddKey", key: newKey }))
      .thenNothing();
    expect(authorize(late.state, key.keyHash).ok).toBe(false);
    const known = given(created, { type: "KeyAdded", key, at: NOW }).when(revoke).then(revoked);
    expect(findRevokedKey(known.state, key.keyHash).ok).toBe(true);
  });

  it("runs 15 exports at once; the others wait, first in first out", () => {
    const full = having(...Array.from({ length: 17 }, (_, n) => orderNumber(n)));
    const { state } = full;
    expect(state.status === "OPEN" && [...state.running]).toHaveLength(15);
    expect(state.status === "OPEN" && state.queue).toEqual(["e15", "e16"]);
    full
      .when(reported("e3", 9, ended))
      .then(
        { type: "ExportReported", id: "e3", seq: 9, report: ended, at: NOW },
        { type: "ExportAdmitted", id: "e15", at: NOW },
      );
  });

  it("registers an export once", () => {
    having(orderNumber(1)).when(orderNumber(1)).thenNothing();
  });

  it("does not count a schedule among the working exports", () => {
    const schedule = { ...exportNumber(1), end: null, intervalHours: 24 };
    having().when(order(schedule)).then({ type: "ExportRegistered", definition: schedule, at: NOW });
  });

  it("removes a cancelled export from its queue", () => {
    const full = having(...Array.from({ length: 16 }, (_, n) => orderNumber(n)));
    const cancelled: ExportReport = { ...ended, status: "CANCELLED" };
    const { state } = full.when(reported("e15", 2, cancelled));
    expect(state.status === "OPEN" && state.queue).toEqual([]);
    expect(state.status === "OPEN" && state.running.size).toBe(15);
  });

  it("refuses an export to an unknown destination or of an unknown project", () => {
    const open = having();
    open.when(order(definition)).then({ type: "ExportRegistered", definition, at: NOW }, admitted(definition.id));
    open.when(order({ ...definition, destinationId: "x" })).thenRefused({ reason: "not_found", what: "destination" });
    open.when(order({ ...definition, projectId: "x" })).thenRefused({ reason: "not_found", what: "project" });
  });

  it("refuses a schedule that would have more than 50000 windows to catch up with", () => {
    const schedule = (hoursAgo: number) => ({
      ...definition,
      start: NOW_MICROS - hoursAgo * HOUR_MICROS,
      end: null,
      intervalHours: 2,
    });
    having()
      .when(order(schedule(100_001)))
      .then({ type: "ExportRegistered", definition: schedule(100_001), at: NOW });
    having()
      .when(order(schedule(100_002)))
      .thenRefused({ reason: "invalid", loc: ["body", "start_time"] });
  });

  it("refuses more than 1000 exports that have not ended, but no window of a schedule", () => {
    const full = having(...Array.from({ length: 1000 }, (_, n) => orderNumber(n)));
    full.when(order(definition)).thenRefused({ reason: "capacity", retryAfterSeconds: 60 });
    full.when(spawned(definition)).then({ type: "ExportRegistered", definition, at: NOW });
  });

  it("registers a window of a schedule although its destination was deleted, so that the gap is visible", () => {
    const window = { ...exportNumber(2), sourceExportId: "e1" };
    having(commandOf({ type: "RemoveDestination", id: definition.destinationId, force: false }))
      .when(spawned(window))
      .then({ type: "ExportRegistered", definition: window, at: NOW }, admitted("e2"));
  });

  it("refuses an id that belongs to another order, and accepts the same order again", () => {
    const open = having(orderNumber(1));
    open.when(order({ ...exportNumber(1), createdAt: NOW + 1 })).thenNothing();
    open
      .when(order({ ...exportNumber(1), formatVersion: "v2_beta" }))
      .thenRefused({ reason: "invalid", loc: ["header", "idempotency-key"] });
  });

  it("retries a failed run by one new export, also if the request is repeated", () => {
    const run = { ...recordOfRunWithoutActor(planOf(), 0, { status: "NONE" }), exportId: "e1" };
    const retry = (status: ExportStatus) =>
      commandOf({ type: "RetryRun", exportId: "e1", run: { ...run, status }, maxRunning: 15 });
    const wanted = retryOf(exportNumber(1), run, NOW);
    having(orderNumber(1))
      .when(retry("FAILED"))
      .then({ type: "ExportRegistered", definition: wanted, at: NOW }, admitted(wanted.id));
    having(orderNumber(1), retry("FAILED")).when(retry("FAILED")).thenNothing();
    having(orderNumber(1)).when(retry("COMPLETED")).thenRefused({ reason: "conflict" });
    having().when(retry("FAILED")).thenRefused({ reason: "not_found", what: "export" });
  });

  it("refuses to delete a destination that an export still writes to, unless forced", () => {
    const remove = (force: boolean) => commandOf({ type: "RemoveDestination", id: definition.destinationId, force });
    const removed: WorkspaceEvent = { type: "DestinationRemoved", id: definition.destinationId, at: NOW };
    having(orderNumber(1)).when(remove(false)).thenRefused({ reason: "conflict" });
    having(orderNumber(1)).when(remove(true)).then(removed);
    having(orderNumber(1), reported("e1", 1, ended))
      .when(remove(false))
      .then(removed);
    having(remove(false)).when(remove(false)).thenNothing();
    having()
      .when(commandOf({ type: "RemoveDestination", id: "x", force: true }))
      .thenRefused({ reason: "not_found", what: "destination" });
  });

  it("refuses every command while it does not exist, and a second creation", () => {
    given().when(orderNumber(1)).thenRefused({ reason: "not_found", what: "workspace", id: definition.tenantId });
    given(created)
      .when(commandOf({ type: "CreateWorkspace", name: "acme", plan: "plus" }))
      .thenRefused({ reason: "conflict" });
  });

  it("folds its log in time after 40,000 keys and projects were added and removed", () => {
    const gone = Array.from({ length: 40_000 }, (_, n): readonly WorkspaceEvent[] => [
      { type: "KeyAdded", key: { ...key, keyHash: `key ${n}` }, at: NOW },
      { type: "KeyRevoked", keyHash: `key ${n}`, at: NOW },
      { type: "ProjectCreated", project: { ...project.project, id: `id ${n}`, name: `experiment ${n}` }, at: NOW },
      { type: "ProjectDeleted", id: `id ${n}`, at: NOW },
    ]);
    const state = gone.flat().reduce(workspace.evolve, given(created).state);
    expect(state).toMatchObject({
      projects: { size: 0 },
      deletedProjects: { size: 40_000 },
      revokedKeys: { size: 40_000 },
    });
  });

  it("never has more working exports than the limit, and never a free place while one waits", () => {
    const commands = fc.oneof(
      fc.nat({ max: 9 }).map((n) => commandOf({ type: "CreateExport", definition: exportNumber(n), maxRunning: 3 })),
      fc
        .record({ n: fc.nat({ max: 9 }), seq: fc.nat({ max: 4 }) })
        .map(({ n, seq }) => reported(`e${n}`, seq, ended, 3)),
    );
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 60 }), (orders) => {
        const { state } = having(...orders);
        if (state.status === "NONE") throw new Error("the workspace exists");
        expect(state.running.size).toBeLessThanOrEqual(3);
        if (state.queue.length > 0) expect(state.running.size).toBe(3);
      }),
    );
  });
});
