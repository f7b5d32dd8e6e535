const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 * 1024;

/** Minimum size of a part, and maximum number of parts of an object, in S3 (AWS: Multipart upload limits). */
const MIN_PART_BYTES = 5 * MIB;
const MAX_PARTS = 10_000;

/** A number that the operator may set: its variable in the environment, its default, and its bounds, both included. */
export interface NumberSetting {
  readonly variable: string;
  readonly preset: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The limits and delays that the operator may set; this is their only definition. The bounds allow a file of any size
 * to be uploaded with any part size.
 */
export const LIMIT_SETTINGS = {
  /** Retries of one export run before it fails for good [LIM-1]. */
  maxRetries: { variable: "MAX_RETRIES", preset: 20, min: 0, max: 1000 },
  /** Fixed pause before a retry [LIM-2]. A lower bound: an alarm may fire up to a minute late. */
  retryDelayMs: { variable: "RETRY_DELAY_MS", preset: 30 * SECOND_MS, min: 0, max: DAY_MS },
  /** Maximum duration of one attempt of a run [LIM-3]; exceeding it spends a retry. */
  runTimeoutMs: { variable: "RUN_TIMEOUT_MS", preset: 4 * HOUR_MS, min: 1, max: 365 * DAY_MS },
  /** Maximum duration of a whole export [LIM-4]. */
  exportTimeoutMs: { variable: "EXPORT_TIMEOUT_MS", preset: 72 * HOUR_MS, min: 1, max: 365 * DAY_MS },
  /** Runs of one export that work at once [LIM-5]. */
  maxRunningRuns: { variable: "MAX_RUNNING_RUNS", preset: 45, min: 1, max: 1000 },
  /** Exports of one workspace that work at once [LIM-6]. */
  maxRunningExports: { variable: "MAX_RUNNING_EXPORTS", preset: 15, min: 1, max: 1000 },
  /** A window is spawned this long after its end [LIM-9]. */
  spawnDelayMs: { variable: "SPAWN_DELAY_MS", preset: 10 * MINUTE_MS, min: 0, max: DAY_MS },
  /** Target size of an exported file [LIM-12]. */
  targetFileBytes: { variable: "TARGET_FILE_BYTES", preset: 128 * MIB, min: 1, max: MAX_PARTS * MIN_PART_BYTES },
  /** Size of every part but the last of a multipart upload [LIM-12]; a smaller file is one PUT. */
  partBytes: { variable: "PART_BYTES", preset: 8 * MIB, min: MIN_PART_BYTES, max: 64 * MIB },
  /** Parts of one run in flight at once [LIM-13]. */
  partsInFlight: { variable: "PARTS_IN_FLIGHT", preset: 4, min: 1, max: 16 },
  /** Pause after a store has throttled us [LIM-14]. Stores count requests by the second. */
  slowDownPauseMs: { variable: "SLOW_DOWN_PAUSE_MS", preset: 5 * SECOND_MS, min: 0, max: DAY_MS },
} as const satisfies Readonly<Record<string, NumberSetting>>;

/** The value of each of these settings. An export keeps those with which it was created. */
export type Limits = { readonly [Name in keyof typeof LIMIT_SETTINGS]: number };

/** The value of each number setting of a table, as `numberOf` returns it. */
export const numbersOf = <Table extends Readonly<Record<string, NumberSetting>>>(
  table: Table,
  numberOf: (setting: Table[keyof Table]) => number,
): { readonly [Name in keyof Table]: number } =>
  Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [name, numberOf(setting as Table[keyof Table])]),
  ) as {
    readonly [Name in keyof Table]: number; // fromEntries loses the names
  };

export const LIMITS: Limits = numbersOf(LIMIT_SETTINGS, ({ preset }) => preset);

/** Bounds of `interval_hours` on a scheduled export, both included [LIM-8]. */
export const INTERVAL_HOURS = { min: 1, max: 168 } as const;

/**
 * Exports and schedules of one workspace that have not ended [LIM-7]; its actor holds them all in memory. An export
 * that a schedule spawns is never refused, because its window would be lost.
 */
export const MAX_OPEN_EXPORTS = 1000;

/**
 * Projects of one workspace [LIM-19]. Its log keeps them for ever and its actor holds them in memory: names alone may
 * take 30 MB. A key that only sends traces can create projects too, so there must be a limit.
 */
export const MAX_PROJECTS = 10_000;

/**
 * Windows that a new schedule may have to catch up with [LIM-10]. Each becomes an export, and the actor of the workspace
 * holds all its exports in memory: 50,000 take 35 MB of the 128 MB of an isolate.
 */
export const MAX_OWED_WINDOWS = 50_000;

/**
 * Windows of one schedule that have not ended [LIM-10]: more than the 72 of an hourly schedule whose exports take as long as
 * they may. The next window waits, so that a schedule that catches up does not fill the queue of its workspace.
 */
export const MAX_OPEN_WINDOWS = 100;
