/**
 * Every limit and delay that is a setting, with its clause. All are settings: the environment overrides one by
 * its name in upper case (`RETRY_DELAY_MS=100`), which development and tests use; see src/settings.ts.
 */
export interface Limits {
  /** Retries of one export run before it fails for good [LIM-1]. */
  readonly maxRetries: number;
  /** Fixed pause before a retry [LIM-2]. A lower bound: an alarm may fire up to a minute late. */
  readonly retryDelayMs: number;
  /** Longest life of one attempt of a run [LIM-3]; exceeding it spends a retry. */
  readonly runTimeoutMs: number;
  /** Longest life of a whole export [LIM-4]. */
  readonly exportTimeoutMs: number;
  /** Runs of one export working at once [LIM-5]. */
  readonly maxRunningRuns: number;
  /** Exports of one workspace working at once [LIM-6]. */
  readonly maxRunningExports: number;
  /** A spawned export starts this long after the end of its window [LIM-9]. */
  readonly spawnDelayMs: number;
  /** Target size of an exported file [LIM-12]. */
  readonly targetFileBytes: number;
  /** Size of every part but the last of a multipart upload; below it one PUT. S3's least is 5 MiB [LIM-12]. */
  readonly partBytes: number;
  /** Parts of one run in flight at once [LIM-13]. */
  readonly partsInFlight: number;
  /**
   * Pause after a store has asked for fewer requests: stores count them by the second, so it has room again by then;
   * a sixth of what a retry waits.
   */
  readonly slowDownPauseMs: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const MIB = 1024 * 1024;

export const LIMITS: Limits = {
  maxRetries: 20,
  retryDelayMs: 30 * SECOND,
  runTimeoutMs: 4 * HOUR,
  exportTimeoutMs: 72 * HOUR,
  maxRunningRuns: 45,
  maxRunningExports: 15,
  spawnDelayMs: 10 * MINUTE,
  targetFileBytes: 128 * MIB,
  partBytes: 8 * MIB,
  partsInFlight: 4,
  slowDownPauseMs: 5 * SECOND,
};

/** Bounds of `interval_hours` on a scheduled export, both included [LIM-8]. */
export const INTERVAL_HOURS = { min: 1, max: 168 } as const;

/**
 * Longest window of a one-off export, five years: its days stand in one event of its log, which holds 256 KiB at most
 * (durable/journal/journal.ts), at some 80 bytes each; beside them a filter of 16,384 letters needs up to 96 KiB [LIM-15].
 */
export const MAX_WINDOW_DAYS = 1827;

/**
 * Exports and schedules of one workspace that have not ended: its actor holds them all in memory, and 15 work at a
 * time. What a schedule spawns is never refused, a window would be lost [LIM-7].
 */
export const MAX_OPEN_EXPORTS = 1000;

/**
 * Projects of one workspace, which its log keeps for ever and its actor holds in memory: names alone may take 30 MB. The
 * bound is there because a key that only sends traces makes projects too [LIM-19].
 */
export const MAX_PROJECTS = 10_000;

/** Windows that a new schedule may owe at once, because it begins in the past: a mistyped year is refused [LIM-10]. */
export const MAX_OWED_WINDOWS = 1000;
