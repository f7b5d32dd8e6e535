import { describe, expect, it } from "vitest";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { isMarkerDue } from "../../../src/domain/export/proof.ts";
import { isOver } from "../../../src/domain/export/view.ts";
import { specification } from "../../support/given.ts";
import { daysChecked, HOUR_MS, NOW, planOf, storeFailure } from "../../support/samples.ts";

const { given } = specification(bulkExport);

const report = { status: "COMPLETED", rowsPlanned: 10, rowsWritten: 10, finishedAt: NOW } as const;
const proving: readonly ExportEvent[] = [
  { type: "ExportCreated", plan: planOf({}, { maxRetries: 2 }), at: NOW },
  { type: "ExportStarted", at: NOW, deadline: NOW + 72 * HOUR_MS },
  daysChecked,
  { type: "RunAdmitted", ordinal: 0, at: NOW },
  { type: "RunAdmitted", ordinal: 1, at: NOW },
  { type: "RunReported", ordinal: 0, seq: 1, report, at: NOW },
  { type: "RunReported", ordinal: 1, seq: 1, report, at: NOW },
];
const began: ExportEvent = { type: "ManifestBegan", at: NOW };
const cancelled: ExportEvent = { type: "ExportCancelled", at: NOW };
const removed = (failure: ReturnType<typeof storeFailure> | null) =>
  ({ type: "RecordMarkerRemoved", failure, now: NOW }) as const;

describe("_SUCCESS of an export that ended otherwise while its manifest was being written", () => {
  it("may be in the bucket since the manifest was begun, which is recorded once", () => {
    given(...proving)
      .when({ type: "BeginManifest", now: NOW })
      .then(began);
    given(...proving, began)
      .when({ type: "BeginManifest", now: NOW })
      .thenNothing();
    given(...proving.slice(0, -1))
      .when({ type: "BeginManifest", now: NOW })
      .thenNothing();
  });

  it("is removed, then the export is idle", () => {
    const ended = given(...proving, began, cancelled);
    ended.wakesAt(NOW);
    expect([isMarkerDue(ended.state, NOW), isOver(ended.state)]).toEqual([true, false]);
    const rest = ended.when(removed(null)).then({ type: "MarkerRemoved", at: NOW }).thenWakesAt(null);
    expect([rest.state.status, isOver(rest.state)]).toEqual(["CANCELLED", true]);
  });

  it("is removed again after 30 s, with as many retries as a run has", () => {
    const again: ExportEvent = {
      type: "MarkerRemovalFailed",
      failure: storeFailure(),
      retryAt: NOW + 30_000,
      at: NOW,
    };
    const waiting = given(...proving, began, cancelled).when(removed(storeFailure()));
    waiting.then(again).thenWakesAt(NOW + 30_000);
    expect(isMarkerDue(waiting.state, NOW + 29_999)).toBe(false);
    given(...proving, began, cancelled, again, again)
      .when(removed(storeFailure()))
      .then({ type: "MarkerLeft", failure: storeFailure(), at: NOW })
      .thenWakesAt(null);
  });

  it("is left when the right to remove it is missing", () => {
    const failure = storeFailure({ reason: "access_denied", retryable: false });
    given(...proving, began, cancelled)
      .when(removed(failure))
      .then({ type: "MarkerLeft", failure, at: NOW });
  });

  it("is not removed for an export that is COMPLETED or that had not begun its manifest", () => {
    const manifest = { key: "m", sha256: "s", files: 2, rows: 20 };
    given(
      ...proving,
      began,
      { type: "ManifestCommitted", manifest, at: NOW },
      { type: "ExportCompleted", at: NOW },
    ).wakesAt(null);
    given(...proving, cancelled).wakesAt(null);
    given(...proving, cancelled)
      .when(removed(null))
      .thenNothing();
  });
});
