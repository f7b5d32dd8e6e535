import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deployment } from "../../src/domain/deployment/index.ts";
import { activeOf } from "../../src/domain/deployment/state.ts";
import { isOver, viewOf as viewOfDeployment } from "../../src/domain/deployment/view.ts";
import { destination } from "../../src/domain/destination/index.ts";
import { bulkExport } from "../../src/domain/export/index.ts";
import { viewOf } from "../../src/domain/export/view.ts";
import { exportRun } from "../../src/domain/export-run/index.ts";
import { fleet } from "../../src/domain/fleet/index.ts";
import { grant } from "../../src/domain/grant/index.ts";
import { providers } from "../../src/domain/provider/index.ts";
import { entries } from "../../src/domain/shared/bucket-map.ts";
import { workspace } from "../../src/domain/workspace/index.ts";
import { exportRecordOf } from "../../src/domain/workspace/view.ts";

/**
 * Logs as each released version wrote them. Events are never deleted: a version that cannot read them loses its users'
 * exports. Files are only added here. A test that breaks needs an `upcast` (durable/journal/journal.ts), not another log.
 */
const FOLDER = join(import.meta.dirname, "logs");

// Recorded events are folded as they are; the compiler knows only today's shapes.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Recorded = any[];

const fold = <S, E>(
  { initialState, evolve }: { initialState: S; evolve: (state: S, event: E) => S },
  events: Recorded,
): S => events.reduce((state, event) => evolve(state, event), initialState);

describe.each(readdirSync(FOLDER))("the logs in %s", (file) => {
  const logs: Record<string, Recorded> = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  const log = (name: string): Recorded => {
    const events = logs[name];
    if (events === undefined) throw new Error(`${file} has no log of a ${name}`);
    return events;
  };

  it("contain a workspace with a key, a project, a destination and ended exports", () => {
    const state = fold(workspace, log("workspace"));
    if (state.status === "NONE") throw new Error("the workspace exists");
    expect([state.keys.size, state.projects.size, state.destinations.size]).toEqual([1, 1, 1]);
    expect(entries(state.projects)).toMatchObject([{ name: "demo", endTime: null, retentionDays: null }]);
    expect(entries(state.exports).map((one) => one.report.status)).toEqual([
      "COMPLETED",
      "CANCELLED",
      "COMPLETED",
      "COMPLETED",
    ]);
    for (const one of entries(state.exports))
      expect(exportRecordOf(one)).toMatchObject({ retryOfRunId: null, pausedAt: null });
    expect(entries(state.keys).map((key) => key.userId)).toEqual(["default"]);
    expect([state.running.size, state.queue.length, state.active.size]).toEqual([0, 0, 0]);
  });

  it("contain a destination whose credentials were rotated", () => {
    const state = fold(destination, log("destination"));
    const record = { check: { etags: { put: "md5", multipart: "md5" } } };
    expect(state).toMatchObject({ status: "ACTIVE", credentials: { version: 2 }, record });
  });

  it("contain an export that was proven complete", () => {
    const state = fold(bulkExport, log("one-off export"));
    expect(state).toMatchObject({ status: "COMPLETED", manifest: { files: 1, rows: 3 } });
    expect(viewOf(state)).toMatchObject({ retryOfRunId: null, pausedAt: null });
    expect(bulkExport.wakeAt(state)).toBeNull();
  });

  it("contain a schedule that was cancelled after two windows", () => {
    const state = fold(bulkExport, log("cancelled schedule"));
    expect(state).toMatchObject({ status: "CANCELLED", windows: { next: 2 } });
  });

  it("contain ended runs that wrote what they planned", () => {
    const derived = fold(exportRun, log("run with a derived segment and three parts"));
    expect(derived).toMatchObject({ status: "COMPLETED", clean: true, progress: { files: [{ ordinal: 0, rows: 3 }] } });
    const empty = fold(exportRun, log("run of an empty day"));
    expect(empty).toMatchObject({ status: "COMPLETED", progress: { files: [] } });
    expect([exportRun.wakeAt(derived), exportRun.wakeAt(empty)]).toEqual([null, null]);
  });

  it("contain a deployment at the edge that returned to its first revision and was deleted", () => {
    const events = log("deployment at the edge");
    const alive = fold(deployment, events.slice(0, -2));
    if (alive.status !== "ACTIVE") throw new Error("the last two events end it");
    expect(alive.revisions.map(({ status }) => status)).toEqual(["DEPLOYED", "BUILD_FAILED", "DEPLOYED"]);
    expect(activeOf(alive)).toMatchObject({
      redeployOf: alive.revisions[0]?.id,
      bundle: alive.revisions[0]?.bundle,
      content: { secrets: { names: ["MODEL_KEY"], envelope: expect.stringMatching(/^wbe1\./) } },
    });
    expect(deployment.wakeAt(alive)).toBeNull();
    expect(isOver(fold(deployment, events))).toBe(true);
  });

  it("contain a deployment at a listener whose second revision could not be built", () => {
    const events = log("deployment at a listener");
    const alive = fold(deployment, events.slice(0, -2));
    const settled = { status: "READY", isSettled: true, url: "http://10.0.0.1:8000", projectId: expect.any(String) };
    expect(viewOfDeployment(alive, "any")).toMatchObject({ ok: true, value: settled });
    if (alive.status !== "ACTIVE") throw new Error("the last two events end it");
    expect(alive.revisions.map(({ status, failure }) => [status, failure?.reason])).toEqual([
      ["DEPLOYED", undefined],
      ["BUILD_FAILED", "reported"],
    ]);
    expect(isOver(fold(deployment, events))).toBe(true);
  });

  it("contain a fleet whose deployments and listener were deleted", () => {
    const events = log("fleet");
    const before = fold(fleet, events.slice(0, 4));
    expect([before.deployments.size, before.listeners.size]).toEqual([1, 1]);
    const after = fold(fleet, events);
    expect([after.deployments.size, after.listeners.size]).toEqual([0, 0]);
  });

  it("contain a provider that was renamed and removed", () => {
    const events = log("providers");
    expect(fold(providers, events.slice(0, -1)).get("peer")).toMatchObject({
      record: { displayName: "Peer 2", authentication: "client_secret_basic" },
      envelope: expect.stringMatching(/^wbe1\./),
    });
    expect(fold(providers, events).size).toBe(0);
  });

  it("contain a grant with a failed authorization and a deleted token", () => {
    const events = log("grant");
    const token = { accountLabel: "ada@customer.example", isDefault: true, requestedScopes: ["openid", "email"] };
    expect([...fold(grant, events.slice(0, -1)).tokens.values()]).toMatchObject([token]);
    const state = fold(grant, events);
    expect([...state.authorizations.values()].map(({ status }) => status)).toEqual(["FAILED", "COMPLETED"]);
    expect(state.tokens.size).toBe(0);
  });
});
