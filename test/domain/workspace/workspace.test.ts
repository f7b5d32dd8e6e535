import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportReport } from "../../../src/domain/export/report.ts";
import { lookUp } from "../../../src/domain/shared/bucket-map.ts";
import type { WorkspaceCommand } from "../../../src/domain/workspace/commands.ts";
import {
  authorize,
  refuseDestinationRemoval,
  refuseExport,
  refuseRepetition,
} from "../../../src/domain/workspace/decide.ts";
import type { WorkspaceEvent } from "../../../src/domain/workspace/events.ts";
import { workspace } from "../../../src/domain/workspace/index.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { config, definition, HOUR_MS, NOW } from "../../support/samples.ts";

const { given } = specification(workspace);

const created: WorkspaceEvent = {
  type: "WorkspaceCreated",
  id: definition.tenantId,
  name: "acme",
  plan: "plus",
  at: NOW,
};
const key = { keyHash: "abc", label: "ci", role: "manage", userId: "default", createdAt: NOW } as const;
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
  },
  at: NOW,
};
const destination: WorkspaceEvent = { type: "DestinationAdded", id: definition.destinationId, config, at: NOW };
const exportNumber = (n: number) => ({ ...definition, id: `e${n}` });
const register = (n: number): WorkspaceCommand => ({
  type: "RegisterExport",
  definition: exportNumber(n),
  maxRunning: 15,
  now: NOW,
});
const ended: ExportReport = { status: "COMPLETED", rowsPlanned: 1, rowsWritten: 1, updatedAt: NOW, finishedAt: NOW };

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
  it("opens to a key it knows, and to no other", () => {
    const { state } = given(created, { type: "KeyAdded", key, at: NOW });
    expect(authorize(state, "abc")).toEqual({
      ok: true,
      value: { tenantId: definition.tenantId, userId: "default", plan: "plus", role: "manage" },
    });
    expect(authorize(state, "abd")).toMatchObject({ ok: false, failure: { reason: "unauthorized" } });
    const revoked = given(created, { type: "KeyAdded", key, at: NOW }, { type: "KeyRevoked", keyHash: "abc", at: NOW });
    expect(authorize(revoked.state, "abc").ok).toBe(false);
  });

  it("never opens to a key again that was revoked, should its adding come late", () => {
    const added: WorkspaceEvent = { type: "KeyAdded", key, at: NOW };
    const revoked: WorkspaceEvent = { type: "KeyRevoked", keyHash: key.keyHash, at: NOW };
    given(created, added, revoked).when({ type: "AddKey", key, now: NOW }).thenNothing();
  });

  it("remembers the revocation of a key that it does not know yet, once", () => {
    const revoked: WorkspaceEvent = { type: "KeyRevoked", keyHash: key.keyHash, at: NOW };
    const revoke: WorkspaceCommand = { type: "RevokeKey", keyHash: key.keyHash, now: NOW };
    given(created).when(revoke).then(revoked);
    given(created, revoked).when(revoke).thenNothing();
    const late = given(created, revoked).when({ type: "AddKey", key, now: NOW }).thenNothing();
    expect(authorize(late.state, key.keyHash).ok).toBe(false);
  });

  it("lets 15 exports work at once; the others queue, first in first out", () => {
    const full = having(...Array.from({ length: 17 }, (_, n) => register(n)));
    const { state } = full;
    expect(state.status === "OPEN" && [...state.running]).toHaveLength(15);
    expect(state.status === "OPEN" && state.queue).toEqual(["e15", "e16"]);
    full
      .when({ type: "RecordExportReport", id: "e3", seq: 9, report: ended, maxRunning: 15, now: NOW })
      .then(
        { type: "ExportReported", id: "e3", seq: 9, report: ended, at: NOW },
        { type: "ExportAdmitted", id: "e15", at: NOW },
      );
  });

  it("registers an export once", () => {
    having(register(1)).when(register(1)).thenNothing();
  });

  it("gives a schedule no place among the working exports", () => {
    const schedule = { ...exportNumber(1), end: null, intervalHours: 24 };
    having()
      .when({ type: "RegisterExport", definition: schedule, maxRunning: 15, now: NOW })
      .then({ type: "ExportRegistered", definition: schedule, at: NOW });
  });

  it("forgets a queued export that was cancelled", () => {
    const full = having(...Array.from({ length: 16 }, (_, n) => register(n)));
    const cancelled: ExportReport = { ...ended, status: "CANCELLED" };
    const { state } = full.when({
      type: "RecordExportReport",
      id: "e15",
      seq: 2,
      report: cancelled,
      maxRunning: 15,
      now: NOW,
    });
    expect(state.status === "OPEN" && state.queue).toEqual([]);
    expect(state.status === "OPEN" && state.running.size).toBe(15);
  });

  it("refuses an export to a destination or of a project that it does not have", () => {
    const { state } = having();
    if (state.status === "NONE") throw new Error("the workspace exists");
    expect(refuseExport(state, definition)).toBeNull();
    expect(refuseExport(state, { ...definition, destinationId: "x" })).toMatchObject({ what: "destination" });
    expect(refuseExport(state, { ...definition, projectId: "x" })).toMatchObject({ what: "project" });
  });

  it("refuses a schedule that would owe more than 1000 windows at once", () => {
    const { state } = having();
    if (state.status === "NONE") throw new Error("the workspace exists");
    const schedule = (hoursAgo: number) => ({
      ...definition,
      start: NOW - hoursAgo * HOUR_MS,
      end: null,
      intervalHours: 2,
    });
    expect(refuseExport(state, schedule(2001))).toBeNull();
    expect(refuseExport(state, schedule(2002))).toMatchObject({ reason: "invalid", loc: ["body", "start_time"] });
  });

  it("refuses more than 1000 exports that have not ended", () => {
    const { state } = having(...Array.from({ length: 1000 }, (_, n) => register(n)));
    if (state.status === "NONE") throw new Error("the workspace exists");
    expect(refuseExport(state, definition)).toMatchObject({ reason: "capacity", retryAfterSeconds: 60 });
  });

  it("registers what a schedule spawns also when its destination was deleted, so that the hole is seen", () => {
    const spawned = { ...exportNumber(2), sourceExportId: "e1" };
    having({ type: "RemoveDestination", id: definition.destinationId, now: NOW })
      .when({ type: "RegisterExport", definition: spawned, maxRunning: 15, now: NOW })
      .then({ type: "ExportRegistered", definition: spawned, at: NOW }, { type: "ExportAdmitted", id: "e2", at: NOW });
  });

  it("refuses an id that stands for another order, and takes the same order again", () => {
    const { state } = having(register(1));
    const known = state.status === "OPEN" ? lookUp(state.exports, "e1") : undefined;
    if (known === undefined) throw new Error("the export is known");
    expect(refuseRepetition(known, { ...exportNumber(1), createdAt: NOW + 1 })).toBeNull();
    expect(refuseRepetition(known, { ...exportNumber(1), formatVersion: "v2_beta" })).toMatchObject({
      reason: "invalid",
      loc: ["header", "idempotency-key"],
    });
  });

  it("refuses to delete a destination that an export still writes to", () => {
    const { state } = having(register(1));
    if (state.status === "NONE") throw new Error("the workspace exists");
    expect(refuseDestinationRemoval(state, definition.destinationId)).toMatchObject({ reason: "conflict" });
    const over = having(register(1), {
      type: "RecordExportReport",
      id: "e1",
      seq: 1,
      report: ended,
      maxRunning: 15,
      now: NOW,
    }).state;
    if (over.status === "NONE") throw new Error("the workspace exists");
    expect(refuseDestinationRemoval(over, definition.destinationId)).toBeNull();
  });

  it("opens in time when very many keys and projects came and went in it", () => {
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

  it("never has more than the limit at work, and never an idle place while one waits", () => {
    const commands = fc.oneof(
      fc.nat({ max: 9 }).map((n): WorkspaceCommand => ({ ...register(n), maxRunning: 3 }) as WorkspaceCommand),
      fc.record({ n: fc.nat({ max: 9 }), seq: fc.nat({ max: 4 }) }).map(
        ({ n, seq }): WorkspaceCommand => ({
          type: "RecordExportReport",
          id: `e${n}`,
          seq,
          report: ended,
          maxRunning: 3,
          now: NOW,
        }),
      ),
    );
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 60 }), (asked) => {
        const { state } = having(...asked);
        if (state.status === "NONE") throw new Error("the workspace exists");
        expect(state.running.size).toBeLessThanOrEqual(3);
        if (state.queue.length > 0) expect(state.running.size).toBe(3);
      }),
    );
  });
});
