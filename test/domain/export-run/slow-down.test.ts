import { describe, expect, it } from "vitest";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import { nextStep } from "../../../src/domain/export-run/next-step.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { fileOf, HOUR_MS, NOW, specOf, storeFailure } from "../../support/samples.ts";

const { given } = specification(exportRun);

const before: readonly ExportRunEvent[] = [
  { type: "RunStarted", spec: specOf(), at: NOW },
  { type: "AttemptStarted", retry: 0, at: NOW, deadline: NOW + 4 * HOUR_MS },
  { type: "SnapshotTaken", snapshot: { key: "k", segments: 1, rows: 30, bytes: 9 }, at: NOW },
  { type: "FilesPlanned", files: 3, rows: 30, bytes: 90, at: NOW },
  { type: "UploadOpened", file: 0, key: "traces/0.parquet", uploadId: "u", at: NOW },
  { type: "PartUploaded", file: 0, part: 1, etag: "e", md5: "m", bytes: 5, at: NOW },
  { type: "StepBegan", step: "upload", at: NOW },
];
const failure = { reason: "store", store: storeFailure({ reason: "throttled" }) } as const;
const throttled = { type: "RecordFailure", failure, now: NOW } as const;
const slowedTo = (partsInFlight: number): ExportRunEvent[] => [
  { type: "SlowedDown", partsInFlight, resumeAt: NOW + 5000, at: NOW },
  { type: "SlowDownEnded", at: NOW + 5000 },
];
const file = (ordinal: number) => fileOf(ordinal, 10);

describe("a run whose store asks for fewer requests", () => {
  it("halves the parts in flight and pauses, keeps the parts it has, and spends no retry", () => {
    const { state } = given(...before)
      .when(throttled)
      .then({ type: "SlowedDown", partsInFlight: 2, resumeAt: NOW + 5000, at: NOW })
      .thenWakesAt(NOW + 5000);
    expect(nextStep(state)).toBeNull();
    expect(state).toMatchObject({ retry: 0, failures: [], progress: { partsInFlight: 2, upload: { parts: [{}] } } });
  });

  it("continues when the pause is over, and not before", () => {
    const slowed = given(...before, ...slowedTo(2).slice(0, 1));
    slowed.when({ type: "Wake", now: NOW + 4999 }).thenNothing();
    const { state } = slowed
      .when({ type: "Wake", now: NOW + 5000 })
      .then({ type: "SlowDownEnded", at: NOW + 5000 })
      .thenWakesAt(NOW + 5000);
    expect(nextStep(state)).toBe("upload");
  });

  it("goes down to one part at a time, then spends a retry like any passing failure", () => {
    given(...before, ...slowedTo(2))
      .when(throttled)
      .then({ type: "SlowedDown", partsInFlight: 1, resumeAt: NOW + 5000, at: NOW });
    given(...before, ...slowedTo(2), ...slowedTo(1))
      .when(throttled)
      .then({ type: "AttemptFailed", retry: 0, failure, retryAt: NOW + 30_000, at: NOW });
  });

  it("doubles the parts in flight with each committed file, up to the limit", () => {
    const commit = (ordinal: number) => ({ type: "RecordFile", file: file(ordinal), now: NOW }) as const;
    const slow = given(...before, ...slowedTo(2), ...slowedTo(1)).when(commit(0));
    slow.then({ type: "FileCommitted", file: file(0), at: NOW }, { type: "SpedUp", partsInFlight: 2, at: NOW });
    const faster = eventsOf(exportRun.decide(commit(1), slow.state));
    expect(faster).toContainEqual({ type: "SpedUp", partsInFlight: 4, at: NOW });
    given(...before)
      .when(commit(0))
      .then({ type: "FileCommitted", file: file(0), at: NOW });
  });

  it("doubles the parts in flight with every fourth part that the store takes, up to the limit", () => {
    const part = (n: number) =>
      ({ type: "RecordPart", file: 0, uploadId: "u", part: n, etag: "e", md5: "m", bytes: 5, now: NOW }) as const;
    let { state } = given(...before, ...slowedTo(2), ...slowedTo(1));
    const paces: number[] = [];
    for (let n = 2; n <= 14; n += 1) {
      for (const event of eventsOf(exportRun.decide(part(n), state))) state = exportRun.evolve(state, event);
      if (state.status === "RUNNING") paces.push(state.progress.partsInFlight);
    }
    expect(paces).toEqual([1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4]);
  });

  it("counts the parts anew after each slow-down", () => {
    const parts = [2, 3, 4].map((n): ExportRunEvent => {
      return { type: "PartUploaded", file: 0, part: n, etag: "e", md5: "m", bytes: 5, at: NOW };
    });
    given(...before, ...slowedTo(2), ...parts, ...slowedTo(1))
      .when({ type: "RecordPart", file: 0, uploadId: "u", part: 5, etag: "e", md5: "m", bytes: 5, now: NOW })
      .then({ type: "PartUploaded", file: 0, part: 5, etag: "e", md5: "m", bytes: 5, at: NOW });
  });

  it("can be cancelled during the pause, and the pause does not move the deadline", () => {
    const slowed = given(...before, ...slowedTo(2).slice(0, 1));
    slowed.when({ type: "Cancel", now: NOW + 1 }).then({ type: "RunCancelled", at: NOW + 1 });
    const late = NOW + 4 * HOUR_MS;
    const { state } = slowed.when({ type: "Wake", now: late });
    expect(state).toMatchObject({ retryAt: late + 30_000, resumeAt: null });
  });
});
