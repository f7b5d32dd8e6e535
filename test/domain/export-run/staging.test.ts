import { describe, expect, it } from "vitest";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import { nextStep } from "../../../src/domain/export-run/next-step.ts";
import { specification } from "../../support/given.ts";
import { HOUR_MS, NOW, specOf } from "../../support/samples.ts";

/** A run with an external table first copies its rows into scratch objects, page by page. */

const { given } = specification(exportRun);

const spec = specOf();
const begun: readonly ExportRunEvent[] = [
  { type: "RunStarted", spec, at: NOW },
  { type: "AttemptStarted", retry: 0, at: NOW, deadline: NOW + 4 * HOUR_MS },
  { type: "StepBegan", step: "snapshot", at: NOW },
];
const staging = { key: "scratch/1/0/staging.json", pages: 2, rows: 30 };
const counted: ExportRunEvent = { type: "StagingBegan", staging, at: NOW };
const segment = { key: "scratch/1/0/staged-0.parquet", etag: "e", bytes: 9, rows: 20, minStart: 0, maxStart: 1 };
const staged: ExportRunEvent = { type: "PageStaged", page: 0, segment, at: NOW };
const snapshot = { key: "scratch/1/0/snapshot.json", segments: 2, rows: 30, bytes: 18 };
const taken: ExportRunEvent = { type: "SnapshotTaken", snapshot, at: NOW };

describe("the pages of a table", () => {
  it("are counted once, and each of them is a checkpoint, in order", () => {
    given(...begun)
      .when({ type: "RecordStaging", staging, snapshotStep: 1, now: NOW })
      .then(counted);
    given(...begun, counted)
      .when({ type: "RecordStaging", staging: { ...staging, rows: 31 }, snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun, counted)
      .when({ type: "RecordPage", page: 0, segment, snapshotStep: 1, now: NOW })
      .then(staged);
    given(...begun, counted, staged)
      .when({ type: "RecordPage", page: 0, segment, snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun, counted, staged)
      .when({ type: "RecordPage", page: 2, segment, snapshotStep: 1, now: NOW })
      .thenNothing();
  });

  it("survive the death of the process and a failed attempt", () => {
    const { state } = given(
      ...begun,
      counted,
      staged,
      { type: "StepCrashed", step: "snapshot", times: 1, at: NOW },
      {
        type: "AttemptFailed",
        retry: 0,
        failure: { reason: "run_timeout", limitMs: 1 },
        retryAt: NOW,
        at: NOW,
      },
    );
    expect(state).toMatchObject({ progress: { staging: { pages: 2, segments: [segment] } } });
  });

  it("are dropped when the table has changed, but only before the snapshot", () => {
    const dropped = given(...begun, counted, staged)
      .when({ type: "DropStaging", snapshotStep: 1, now: NOW })
      .then({ type: "StagingDropped", at: NOW });
    expect(dropped.state).toMatchObject({ progress: { staging: null } });
    expect(nextStep(dropped.state)).toBe("snapshot");
    given(...begun, counted, staged, taken)
      .when({ type: "DropStaging", snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun)
      .when({ type: "DropStaging", snapshotStep: 1, now: NOW })
      .thenNothing();
  });

  it("are not staged by a step that hung while a later one began, since it may have counted other rows", () => {
    const again: ExportRunEvent = { type: "StepBegan", step: "snapshot", at: NOW };
    given(...begun, again)
      .when({ type: "RecordStaging", staging, snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun, again, counted)
      .when({ type: "RecordPage", page: 0, segment, snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun, again, counted)
      .when({ type: "DropStaging", snapshotStep: 1, now: NOW })
      .thenNothing();
    given(...begun, again, counted)
      .when({ type: "RecordPage", page: 0, segment, snapshotStep: 2, now: NOW })
      .then(staged);
  });

  it("are recorded while the run is paused", () => {
    given(...begun, counted, { type: "RunPaused", order: 1, at: NOW })
      .when({ type: "RecordPage", page: 0, segment, snapshotStep: 1, now: NOW })
      .then(staged);
  });
});

describe("a failure of the table", () => {
  const failure = (retryable: boolean) =>
    ({
      reason: "source",
      source: { reason: "busy", retryable, code: 202, status: 500, advice: "" },
    }) as const;

  it("spends a retry if it is transient, and ends the run if the customer must act", () => {
    const passing = given(...begun).when({ type: "RecordFailure", failure: failure(true), now: NOW });
    expect(passing.events.map(({ type }) => type)).toEqual(["AttemptFailed"]);
    const final = given(...begun).when({ type: "RecordFailure", failure: failure(false), now: NOW });
    expect(final.events.map(({ type }) => type)).toEqual(["RunFailed"]);
  });
});
