import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportCommand } from "../../../src/domain/export/commands.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { areAllCompleted } from "../../../src/domain/export/known-runs.ts";
import type { ExportState } from "../../../src/domain/export/state.ts";
import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import { nextStep } from "../../../src/domain/export-run/next-step.ts";
import type { ExportRunReport } from "../../../src/domain/export-run/report.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { Decider } from "../../../src/domain/shared/decider.ts";
import { eventsOf } from "../../support/events-of.ts";
import { fileOf, HOUR_MS, NOW, planOf, specOf, storeFailure } from "../../support/samples.ts";

/** The resulting status of every status [EXP-15] and every command. */

const fold = <S, C, E>({ initialState, evolve }: Decider<S, C, E>, log: readonly E[]): S =>
  log.reduce(evolve, initialState);
const ask = <S, C, E>({ decide, evolve }: Decider<S, C, E>, state: S, command: C): S =>
  eventsOf(decide(command, state)).reduce(evolve, state);

const passing = storeFailure();
const denied = storeFailure({ reason: "access_denied", retryable: false, status: 403, code: "AccessDenied" });
const FINAL = ["COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT"] as const;

describe("an export", () => {
  const LATE = NOW + 72 * HOUR_MS;
  const plan = planOf();
  const report = (status: ExportRunReport["status"]): ExportRunReport => ({
    status,
    rowsPlanned: 10,
    rowsWritten: status === "COMPLETED" ? 10 : 0,
    finishedAt: status === "RUNNING" ? null : NOW,
  });
  const heard = (ordinal: number, status: ExportRunReport["status"], now = NOW) =>
    ({ type: "RecordRunReport", ordinal, seq: 5, report: report(status), now }) as const;
  const reported = (ordinal: number): ExportEvent => ({
    type: "RunReported",
    ordinal,
    seq: 4,
    report: report("COMPLETED"),
    at: NOW,
  });
  const manifest = { key: "m", sha256: "s", files: 2, rows: 20 };

  const created: ExportEvent = { type: "ExportCreated", plan, at: NOW };
  const started: readonly ExportEvent[] = [
    created,
    { type: "ExportStarted", at: NOW, deadline: LATE },
    { type: "DaysChecked", from: 0, upto: 2, withRows: [0, 1], at: NOW },
    { type: "RunAdmitted", ordinal: 0, at: NOW },
    { type: "RunAdmitted", ordinal: 1, at: NOW },
  ];
  const proving = [...started, reported(0), reported(1)];
  const paused: ExportEvent = { type: "ExportPaused", at: NOW };
  const schedule: ExportEvent = { type: "ExportCreated", plan: planOf({ end: null, intervalHours: 6 }), at: NOW };

  const LOGS = {
    "not created": [],
    CREATED: [created],
    "CREATED, paused": [created, paused],
    "CREATED, a schedule": [schedule],
    "CREATED, a paused schedule": [schedule, paused],
    "RUNNING, days not checked": started.slice(0, 2),
    "RUNNING, days not checked, paused": [...started.slice(0, 2), paused],
    RUNNING: started,
    "RUNNING, paused": [...started, paused],
    "RUNNING, every run done": proving,
    "RUNNING, every run done, paused": [...proving, paused],
    COMPLETED: [...proving, { type: "ManifestCommitted", manifest, at: NOW }, { type: "ExportCompleted", at: NOW }],
    FAILED: [...started, { type: "ExportFailed", cause: { kind: "run", ordinal: 0 }, at: NOW }],
    CANCELLED: [...started, { type: "ExportCancelled", at: NOW }],
    TIMEDOUT: [...started, { type: "ExportTimedOut", at: NOW }],
  } as const satisfies Record<string, readonly ExportEvent[]>;
  type Name = keyof typeof LOGS;
  const NAMES = Object.keys(LOGS) as Name[];

  const nameOf = (state: ExportState): string => {
    if (state.status === "NONE") return "not created";
    if (state.status !== "CREATED" && state.status !== "RUNNING") return state.status;
    const isPaused = state.pausedAt !== null;
    if (state.plan.definition.intervalHours !== null)
      return isPaused ? "CREATED, a paused schedule" : "CREATED, a schedule";
    const isDone = state.status === "RUNNING" && areAllCompleted(state.runs, state.plan.definition);
    if (state.status === "RUNNING" && state.runs.checked === 0)
      return isPaused ? "RUNNING, days not checked, paused" : "RUNNING, days not checked";
    return `${state.status}${isDone ? ", every run done" : ""}${isPaused ? ", paused" : ""}`;
  };

  /** Per command: the new status of each status; those not named do not change. */
  const ROWS: {
    readonly [Type in ExportCommand["type"]]: readonly {
      readonly what: string;
      readonly command: Extract<ExportCommand, { type: Type }>;
      readonly becomes: Partial<Record<Name, Name>>;
    }[];
  } = {
    Create: [
      { what: "is created", command: { type: "Create", plan, now: NOW }, becomes: { "not created": "CREATED" } },
    ],
    Admit: [
      {
        what: "is admitted",
        command: { type: "Admit", now: NOW },
        becomes: { CREATED: "RUNNING, days not checked", "CREATED, paused": "RUNNING, days not checked, paused" },
      },
    ],
    RecordDays: [
      {
        what: "finds days with rows",
        command: { type: "RecordDays", from: 0, upto: 2, withRows: [0, 1], now: NOW },
        becomes: {
          "RUNNING, days not checked": "RUNNING",
          "RUNNING, days not checked, paused": "RUNNING, paused",
        },
      },
      {
        what: "finds no day with rows",
        command: { type: "RecordDays", from: 0, upto: 2, withRows: [], now: NOW },
        becomes: {
          "RUNNING, days not checked": "RUNNING, every run done",
          "RUNNING, days not checked, paused": "RUNNING, every run done, paused",
        },
      },
      {
        what: "finds days after its deadline",
        command: { type: "RecordDays", from: 0, upto: 2, withRows: [0], now: LATE },
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          "RUNNING, days not checked, paused": "RUNNING, paused",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "TIMEDOUT",
        },
      },
    ],
    RecordRunReport: [
      { what: "records that one run is done", command: heard(0, "COMPLETED"), becomes: {} },
      {
        what: "records that a run has exhausted its retries",
        command: heard(1, "FAILED"),
        becomes: {
          RUNNING: "FAILED",
          "RUNNING, paused": "FAILED",
          "RUNNING, every run done": "FAILED",
          "RUNNING, every run done, paused": "FAILED",
        },
      },
      {
        what: "records a report after its deadline",
        command: heard(0, "COMPLETED", LATE),
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "TIMEDOUT",
        },
      },
    ],
    BeginManifest: [
      { what: "begins its manifest", command: { type: "BeginManifest", now: NOW }, becomes: {} },
      {
        what: "begins its manifest after its deadline",
        command: { type: "BeginManifest", now: LATE },
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "TIMEDOUT",
        },
      },
    ],
    RecordMarkerRemoved: [
      {
        what: "has removed _SUCCESS",
        command: { type: "RecordMarkerRemoved", failure: null, now: NOW },
        becomes: {},
      },
      {
        what: "could not remove _SUCCESS for now",
        command: { type: "RecordMarkerRemoved", failure: passing, now: NOW },
        becomes: {},
      },
    ],
    RecordManifest: [
      {
        what: "has written its manifest",
        command: { type: "RecordManifest", manifest, now: NOW },
        becomes: { "RUNNING, every run done": "COMPLETED", "RUNNING, every run done, paused": "COMPLETED" },
      },
      {
        what: "has written its manifest after its deadline",
        command: { type: "RecordManifest", manifest, now: LATE },
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "COMPLETED",
          "RUNNING, every run done, paused": "COMPLETED",
        },
      },
    ],
    RecordManifestFailure: [
      {
        what: "could not write its manifest for now",
        command: { type: "RecordManifestFailure", failure: passing, now: NOW },
        becomes: {},
      },
      {
        what: "may not write its manifest",
        command: { type: "RecordManifestFailure", failure: denied, now: NOW },
        becomes: { "RUNNING, every run done": "FAILED" },
      },
    ],
    Pause: [
      {
        what: "is paused",
        command: { type: "Pause", now: NOW },
        becomes: {
          CREATED: "CREATED, paused",
          "CREATED, a schedule": "CREATED, a paused schedule",
          "RUNNING, days not checked": "RUNNING, days not checked, paused",
          RUNNING: "RUNNING, paused",
          "RUNNING, every run done": "RUNNING, every run done, paused",
        },
      },
    ],
    Resume: [
      {
        what: "is resumed, however late",
        command: { type: "Resume", now: 2 * LATE },
        becomes: {
          "CREATED, paused": "CREATED",
          "CREATED, a paused schedule": "CREATED, a schedule",
          "RUNNING, days not checked, paused": "RUNNING, days not checked",
          "RUNNING, paused": "RUNNING",
          "RUNNING, every run done, paused": "RUNNING, every run done",
        },
      },
    ],
    Cancel: [
      {
        what: "is cancelled",
        command: { type: "Cancel", now: LATE },
        becomes: {
          CREATED: "CANCELLED",
          "CREATED, paused": "CANCELLED",
          "CREATED, a schedule": "CANCELLED",
          "CREATED, a paused schedule": "CANCELLED",
          "RUNNING, days not checked": "CANCELLED",
          "RUNNING, days not checked, paused": "CANCELLED",
          RUNNING: "CANCELLED",
          "RUNNING, paused": "CANCELLED",
          "RUNNING, every run done": "CANCELLED",
          "RUNNING, every run done, paused": "CANCELLED",
        },
      },
    ],
    FailForDeletedProject: [
      {
        what: "fails because its project was deleted",
        command: { type: "FailForDeletedProject", now: LATE },
        becomes: {
          CREATED: "FAILED",
          "CREATED, paused": "FAILED",
          "CREATED, a schedule": "FAILED",
          "CREATED, a paused schedule": "FAILED",
          "RUNNING, days not checked": "FAILED",
          "RUNNING, days not checked, paused": "FAILED",
          RUNNING: "FAILED",
          "RUNNING, paused": "FAILED",
          "RUNNING, every run done": "FAILED",
          "RUNNING, every run done, paused": "FAILED",
        },
      },
    ],
    RecordWindowEnded: [
      {
        what: "gets the end of a window",
        command: { type: "RecordWindowEnded", exportId: "w", now: NOW },
        becomes: {},
      },
      {
        what: "gets the end of a window after its deadline",
        command: { type: "RecordWindowEnded", exportId: "w", now: LATE },
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "TIMEDOUT",
        },
      },
    ],
    Wake: [
      { what: "is woken", command: { type: "Wake", search: null, now: NOW }, becomes: {} },
      {
        what: "is woken after its deadline",
        command: { type: "Wake", search: null, now: LATE },
        becomes: {
          "RUNNING, days not checked": "TIMEDOUT",
          RUNNING: "TIMEDOUT",
          "RUNNING, every run done": "TIMEDOUT",
        },
      },
    ],
  };

  const cases = Object.values(ROWS)
    .flat()
    .flatMap(({ what, command, becomes }) =>
      NAMES.map((name) => ({ name, what, command: command as ExportCommand, becomes: becomes[name] ?? name })),
    );

  it.each(cases)("$name | $what | $becomes", ({ name, command, becomes }) => {
    expect(nameOf(ask(bulkExport, fold(bulkExport, LOGS[name]), command))).toBe(becomes);
  });

  it("that has ended is changed by no command, nor by folding its log again", () => {
    const commands = Object.values(ROWS)
      .flat()
      .map(({ command }) => command as ExportCommand);
    const anything = fc.array(
      fc.tuple(fc.constantFrom(...commands), fc.nat({ max: 200 * HOUR_MS }), fc.nat({ max: 9 })),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(created, schedule), (commands, first) => {
        const log: ExportEvent[] = [first];
        for (const [command, later, seq] of commands) {
          const before = fold(bulkExport, log);
          const now = NOW + later;
          const sent = command.type === "RecordRunReport" ? { ...command, seq, now } : { ...command, now };
          log.push(...eventsOf(bulkExport.decide(sent, before)).map((event) => JSON.parse(JSON.stringify(event))));
          const after = fold(bulkExport, log);
          if ("finishedAt" in before)
            expect(after).toMatchObject({ status: before.status, finishedAt: before.finishedAt });
          if (after.status === "COMPLETED") expect(areAllCompleted(after.runs, after.plan.definition)).toBe(true);
          const isAtRest =
            after.status === "NONE" ||
            ("finishedAt" in after && after.marker === null) ||
            ("pausedAt" in after && after.pausedAt !== null) ||
            (after.status === "CREATED" && after.plan.definition.intervalHours === null);
          expect(bulkExport.wakeAt(after) === null).toBe(isAtRest);
        }
      }),
    );
  });
});

describe("a run", () => {
  const LATE = NOW + 4 * HOUR_MS;
  const spec = specOf({ maxRetries: 2 });
  const snapshot = { key: "scratch/1/0/snapshot.json", segments: 2, rows: 30, bytes: 999 };
  const segment = { key: "s", etag: "e", bytes: 9, rows: 30, minStart: 0, maxStart: 0 };
  const failure = { reason: "store", store: passing } as const;
  const final = { reason: "store", store: denied } as const;
  const timeout = {
    reason: "export_timeout",
    limitMs: 72 * HOUR_MS,
    runs: 2,
    runsDone: 1,
    rowsPlanned: 60,
    rowsWritten: 30,
  } as const;

  const started: ExportRunEvent = { type: "RunStarted", spec, at: NOW };
  const working: readonly ExportRunEvent[] = [
    started,
    { type: "AttemptStarted", retry: 0, at: NOW, deadline: LATE },
    { type: "SnapshotTaken", snapshot, at: NOW },
    { type: "FilesPlanned", files: 1, rows: 30, bytes: 450, at: NOW },
    { type: "StepBegan", step: "upload", at: NOW },
    { type: "UploadOpened", file: 0, key: "traces/0.parquet", uploadId: "u", at: NOW },
  ];
  const waiting: readonly ExportRunEvent[] = [
    ...working,
    { type: "AttemptFailed", retry: 0, failure, retryAt: NOW + 30_000, at: NOW },
  ];
  const last: readonly ExportRunEvent[] = [
    ...waiting,
    { type: "AttemptStarted", retry: 1, at: NOW, deadline: LATE },
    { type: "AttemptFailed", retry: 1, failure, retryAt: NOW, at: NOW },
    { type: "AttemptStarted", retry: 2, at: NOW, deadline: LATE },
  ];
  const paused: ExportRunEvent = { type: "RunPaused", order: 1, at: NOW };

  const LOGS = {
    "not started": [],
    RUNNING: working,
    "RUNNING, waiting for a retry": waiting,
    "RUNNING, the last retry": last,
    "RUNNING, paused": [...working, paused],
    "RUNNING, waiting for a retry, paused": [...waiting, paused],
    "RUNNING, the last retry, paused": [...last, paused],
    COMPLETED: [
      ...working,
      { type: "FileCommitted", file: fileOf(0, 30), at: NOW },
      { type: "RunCompleted", rows: 30, at: NOW },
    ],
    FAILED: [...working, { type: "RunFailed", retry: 0, failure: final, at: NOW }],
    CANCELLED: [...working, { type: "RunCancelled", at: NOW }],
    TIMEDOUT: [...working, { type: "RunStopped", failure: timeout, at: NOW }],
  } as const satisfies Record<string, readonly ExportRunEvent[]>;
  type Name = keyof typeof LOGS;
  const NAMES = Object.keys(LOGS) as Name[];

  const nameOf = (state: ExportRunState): string => {
    if (state.status === "NONE") return "not started";
    if (state.status !== "RUNNING") return state.status;
    const isLast = state.retryAt === null && state.retry >= state.spec.limits.maxRetries;
    const waits = `${state.retryAt === null ? "" : ", waiting for a retry"}${isLast ? ", the last retry" : ""}`;
    return `RUNNING${waits}${state.pausedAt === null ? "" : ", paused"}`;
  };

  /** The same end for every status that has not ended. */
  const ends = (status: (typeof FINAL)[number]): Partial<Record<Name, Name>> => ({
    RUNNING: status,
    "RUNNING, waiting for a retry": status,
    "RUNNING, the last retry": status,
    "RUNNING, paused": status,
    "RUNNING, waiting for a retry, paused": status,
    "RUNNING, the last retry, paused": status,
  });
  /** The statuses in which a file may be reported: during an attempt, or after a pause with work in flight. */
  const ofWork = (status: (typeof FINAL)[number]): Partial<Record<Name, Name>> => ({
    RUNNING: status,
    "RUNNING, the last retry": status,
    "RUNNING, paused": status,
    "RUNNING, the last retry, paused": status,
  });
  const fails: Partial<Record<Name, Name>> = {
    RUNNING: "RUNNING, waiting for a retry",
    "RUNNING, the last retry": "FAILED",
  };

  const ROWS: {
    readonly [Type in ExportRunCommand["type"]]: readonly {
      readonly what: string;
      readonly command: Extract<ExportRunCommand, { type: Type }>;
      readonly becomes: Partial<Record<Name, Name>>;
    }[];
  } = {
    Start: [
      {
        what: "is started",
        command: { type: "Start", spec, now: NOW },
        becomes: { "not started": "RUNNING, waiting for a retry" },
      },
    ],
    Wake: [
      {
        what: "is woken when its retry is due",
        command: { type: "Wake", now: NOW + 30_000 },
        becomes: { "RUNNING, waiting for a retry": "RUNNING" },
      },
      {
        what: "is woken after 4 hours",
        command: { type: "Wake", now: LATE },
        becomes: { ...fails, "RUNNING, waiting for a retry": "RUNNING" },
      },
    ],
    BeginStep: [
      { what: "begins a step", command: { type: "BeginStep", step: "upload", now: NOW }, becomes: {} },
      {
        what: "begins a step after 4 hours",
        command: { type: "BeginStep", step: "upload", now: LATE },
        becomes: fails,
      },
    ],
    PauseStep: [{ what: "leaves a step to the next alarm", command: { type: "PauseStep", now: NOW }, becomes: {} }],
    RecordSnapshot: [
      {
        what: "has its snapshot again",
        command: { type: "RecordSnapshot", snapshot, snapshotStep: 0, now: NOW },
        becomes: {},
      },
    ],
    RecordStaging: [
      {
        what: "has counted the pages of a table",
        command: { type: "RecordStaging", staging: { key: "k", pages: 2, rows: 30 }, snapshotStep: 0, now: NOW },
        becomes: {},
      },
    ],
    RecordPage: [
      {
        what: "has staged a page of a table",
        command: { type: "RecordPage", page: 0, segment, snapshotStep: 0, now: NOW },
        becomes: {},
      },
    ],
    DropStaging: [
      { what: "drops what it has staged", command: { type: "DropStaging", snapshotStep: 0, now: NOW }, becomes: {} },
    ],
    RecordDerived: [
      {
        what: "has derived a segment",
        command: { type: "RecordDerived", derived: { index: 0, segment: null }, now: NOW },
        becomes: {},
      },
    ],
    RecordPlan: [
      {
        what: "has planned its files again",
        command: { type: "RecordPlan", files: 0, rows: 0, bytes: 0, now: NOW },
        becomes: {},
      },
    ],
    RecordUploadOpened: [
      {
        what: "has opened another upload",
        command: { type: "RecordUploadOpened", file: 0, key: "k", uploadId: "v", now: NOW },
        becomes: {},
      },
    ],
    RecordPart: [
      {
        what: "has written a part",
        command: { type: "RecordPart", file: 0, uploadId: "u", part: 1, etag: "e", md5: "m", bytes: 5, now: NOW },
        becomes: {},
      },
      {
        what: "has written a part after 4 hours",
        command: { type: "RecordPart", file: 0, uploadId: "u", part: 1, etag: "e", md5: "m", bytes: 5, now: LATE },
        becomes: fails,
      },
    ],
    RecordUploadLost: [
      {
        what: "has lost its upload",
        command: { type: "RecordUploadLost", file: 0, uploadId: "u", now: NOW },
        becomes: {},
      },
    ],
    RecordUploadAborted: [
      {
        what: "has aborted its upload",
        command: { type: "RecordUploadAborted", file: 0, failure: null, now: NOW },
        becomes: {},
      },
      {
        what: "could not abort its upload",
        command: { type: "RecordUploadAborted", file: 0, failure, now: NOW },
        becomes: {},
      },
    ],
    RecordFile: [
      {
        what: "has committed its last file",
        command: { type: "RecordFile", file: fileOf(0, 30), now: LATE },
        becomes: ofWork("COMPLETED"),
      },
      {
        what: "has committed its last file, and rows are missing",
        command: { type: "RecordFile", file: fileOf(0, 29), now: NOW },
        becomes: ofWork("FAILED"),
      },
    ],
    RecordFailure: [
      { what: "meets a passing error", command: { type: "RecordFailure", failure, now: NOW }, becomes: fails },
      {
        what: "meets a storage or destination error",
        command: { type: "RecordFailure", failure: final, now: NOW },
        becomes: { RUNNING: "FAILED", "RUNNING, the last retry": "FAILED" },
      },
      {
        what: "fails because its destination was deleted",
        command: { type: "RecordFailure", failure: { reason: "destination_deleted" }, now: NOW },
        becomes: { RUNNING: "FAILED", "RUNNING, the last retry": "FAILED" },
      },
    ],
    RecordCleaned: [{ what: "has cleaned up", command: { type: "RecordCleaned", now: NOW }, becomes: {} }],
    Pause: [
      {
        what: "is paused",
        command: { type: "Pause", order: 2, now: NOW },
        becomes: {
          RUNNING: "RUNNING, paused",
          "RUNNING, waiting for a retry": "RUNNING, waiting for a retry, paused",
          "RUNNING, the last retry": "RUNNING, the last retry, paused",
        },
      },
    ],
    Resume: [
      { what: "gets an old resume", command: { type: "Resume", order: 1, now: NOW }, becomes: {} },
      {
        what: "is resumed, however late",
        command: { type: "Resume", order: 2, now: 2 * LATE },
        becomes: {
          "RUNNING, paused": "RUNNING",
          "RUNNING, waiting for a retry, paused": "RUNNING, waiting for a retry",
          "RUNNING, the last retry, paused": "RUNNING, the last retry",
        },
      },
    ],
    Cancel: [{ what: "is cancelled", command: { type: "Cancel", now: LATE }, becomes: ends("CANCELLED") }],
    Stop: [
      {
        what: "is stopped because its export is out of time",
        command: { type: "Stop", failure: timeout, now: NOW },
        becomes: ends("TIMEDOUT"),
      },
      {
        what: "is stopped because another run failed",
        command: { type: "Stop", failure: { reason: "run_failed", runId: "f", day: "2029-12-31" }, now: NOW },
        becomes: ends("FAILED"),
      },
      {
        what: "is stopped because the project was deleted",
        command: { type: "Stop", failure: { reason: "project_deleted" }, now: NOW },
        becomes: ends("FAILED"),
      },
    ],
  };

  const cases = Object.values(ROWS)
    .flat()
    .flatMap(({ what, command, becomes }) =>
      NAMES.map((name) => ({ name, what, command: command as ExportRunCommand, becomes: becomes[name] ?? name })),
    );

  it.each(cases)("$name | $what | $becomes", ({ name, command, becomes }) => {
    expect(nameOf(ask(exportRun, fold(exportRun, LOGS[name]), command))).toBe(becomes);
  });

  const commands = Object.values(ROWS)
    .flat()
    .map(({ command }) => command as ExportRunCommand);
  const anything = fc.array(fc.tuple(fc.constantFrom(...commands), fc.nat({ max: 20 * HOUR_MS })), { maxLength: 40 });

  /** Runs the commands; calls `look` with the state before and after each of them. */
  const play = (
    commands: readonly (readonly [ExportRunCommand, number])[],
    look: (before: ExportRunState, after: ExportRunState) => void,
  ): void => {
    const log: ExportRunEvent[] = [started];
    for (const [i, [command, later]] of commands.entries()) {
      const before = fold(exportRun, log);
      const now = NOW + later;
      const isOrder = command.type === "Pause" || command.type === "Resume";
      const sent = isOrder ? { ...command, order: i, now } : { ...command, now };
      log.push(...eventsOf(exportRun.decide(sent, before)).map((event) => JSON.parse(JSON.stringify(event))));
      look(before, fold(exportRun, log));
    }
  };

  it("that has ended is changed by no command, nor by folding its log again, and loses no file", () => {
    fc.assert(
      fc.property(anything, (commands) =>
        play(commands, (before, after) => {
          if (before.status === "NONE" || after.status === "NONE") return;
          if (before.status !== "RUNNING")
            expect(after).toMatchObject({ status: before.status, finishedAt: before.finishedAt });
          expect(after.progress.files.slice(0, before.progress.files.length)).toEqual(before.progress.files);
        }),
      ),
    );
  });

  it("is woken exactly when it has work: never when it is idle or paused", () => {
    fc.assert(
      fc.property(anything, (commands) =>
        play(commands, (_before, after) => {
          if (after.status === "NONE") return;
          const isAtRest =
            after.status === "RUNNING"
              ? after.pausedAt !== null
              : nextStep(after) === null && after.abort.retryAt === null;
          expect(exportRun.wakeAt(after) === null).toBe(isAtRest);
        }),
      ),
    );
  });

  it("never counts more retries than failures or than the limit", () => {
    fc.assert(
      fc.property(anything, (commands) =>
        play(commands, (_before, after) => {
          if (after.status === "NONE") return;
          expect(after.retry).toBeLessThanOrEqual(after.failures.length);
          expect(after.retry).toBeLessThanOrEqual(spec.limits.maxRetries);
          expect(after.failures.length).toBeLessThanOrEqual(spec.limits.maxRetries + 1);
          expect(new Set(after.failures.map((one) => one.retry)).size).toBe(after.failures.length);
        }),
      ),
    );
  });
});
