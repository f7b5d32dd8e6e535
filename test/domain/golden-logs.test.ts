import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deployment } from "../../src/domain/deployment/index.ts";
import { activeOf } from "../../src/domain/deployment/state.ts";
import { isOver, viewOf as viewOfDeployment } from "../../src/domain/deployment/view.ts";
import { destination } from "../../src/domain/destination/index.ts";
import { bulkExport } from "../../src/domain/export/index.ts";
import { upcastExport } from "../../src/domain/export/upcast.ts";
import { viewOf } from "../../src/domain/export/view.ts";
import { exportRun } from "../../src/domain/export-run/index.ts";
import { upcastExportRun } from "../../src/domain/export-run/upcast.ts";
import { entries } from "../../src/domain/shared/bucket-map.ts";
import { workspace } from "../../src/domain/workspace/index.ts";
import { upcastWorkspace } from "../../src/domain/workspace/upcast.ts";
import { exportRecordOf } from "../../src/domain/workspace/view.ts";

/**
 * Logs as each released version wrote them. Events are for ever: a version that cannot read them loses its users'
 * exports. Logs here are only added; a test that breaks asks for an upcast, not for another file.
 */
const FOLDER = join(import.meta.dirname, "logs");

// Whatever was recorded is folded as it stands; the compiler knows today's shapes only.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Recorded = any[];

const fold = <S, E>(
  decider: { initialState: S; evolve: (state: S, event: E) => S },
  events: Recorded,
  upcast = (event: Recorded[number]): E => event,
): S => events.reduce((state, event) => decider.evolve(state, upcast(event)), decider.initialState);

describe.each(readdirSync(FOLDER))("the logs in %s", (file) => {
  const logs: Record<string, Recorded> = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  const log = (name: string): Recorded => {
    const events = logs[name];
    if (events === undefined) throw new Error(`${file} has no log of a ${name}`);
    return events;
  };

  it("tell of a workspace with a key, a project, a destination and ended exports", () => {
    const state = fold(workspace, log("workspace"), upcastWorkspace);
    if (state.status === "NONE") throw new Error("the workspace exists");
    expect([state.keys.size, state.projects.size, state.destinations.size]).toEqual([1, 1, 1]);
    expect(entries(state.projects).map(({ retentionDays }) => retentionDays)).toEqual([null]);
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

  it("tell of a destination whose credentials were rotated", () => {
    const state = fold(destination, log("destination"));
    expect(state).toMatchObject({ status: "ACTIVE", credentials: { version: 2 }, probe: { canRead: true } });
  });

  it("tell of an export that was proven complete", () => {
    const state = fold(bulkExport, log("one-off export"), upcastExport);
    expect(state).toMatchObject({ status: "COMPLETED", manifest: { files: 1, rows: 3 } });
    expect(state).not.toHaveProperty("plan.runIds");
    expect(viewOf(state)).toMatchObject({ retryOfRunId: null, pausedAt: null });
    expect(bulkExport.wakeAt(state)).toBeNull();
  });

  it("tell of a schedule that was cancelled after two windows", () => {
    const state = fold(bulkExport, log("cancelled schedule"), upcastExport);
    expect(state).toMatchObject({ status: "CANCELLED", spawned: 2 });
  });

  it("tell of runs that wrote what they planned, and rest", () => {
    const derived = fold(exportRun, log("run with a derived segment and three parts"), upcastExportRun);
    expect(derived).toMatchObject({ status: "COMPLETED", clean: true, progress: { files: [{ ordinal: 0, rows: 3 }] } });
    const empty = fold(exportRun, log("run of an empty day"), upcastExportRun);
    expect(empty).toMatchObject({ status: "COMPLETED", progress: { files: [] } });
    expect([exportRun.wakeAt(derived), exportRun.wakeAt(empty)]).toEqual([null, null]);
  });

  it("tell of a deployment at the edge that went back to its first revision, and was deleted", () => {
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

  it("tell of a deployment at a listener whose second revision could not be built", () => {
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
});
