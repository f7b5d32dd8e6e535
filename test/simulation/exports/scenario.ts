import type { ExportField } from "../../../src/domain/run/columns.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import { CATCH_UP_ORDERS, type CatchUpOrder, windowOf } from "../../../src/domain/schedule/windows.ts";
import type { Compression, FormatVersion } from "../../../src/domain/shared/format.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { DAY_MS, MICROS_PER_MS, windowOfDay } from "../../../src/domain/shared/time.ts";
import { MIN_PART_BYTES } from "../kernel/edits.ts";
import { FAULTS, type Fault } from "../kernel/faults.ts";
import { Random } from "../kernel/random.ts";
import type { Course } from "../kernel/world.ts";
import type { BucketRules } from "../store/customer-bucket.ts";

/** The definition of a world of exports. It follows from the seed. */
export interface Scenario extends Course {
  /** Faults stop at this time; then all work must end. */
  readonly healsAfterMs: number;
  readonly bucket: BucketRules;
  readonly restartsAfterMs: readonly number[];
  /** The bucket does not exist from the first to the second instant. */
  readonly bucketAwayMs: readonly [from: number, until: number] | null;
  readonly days: readonly string[];
  /** Each batch is one ingest request. */
  readonly batches: readonly Batch[];
  /** Bounds of the windows of exports, in epoch milliseconds. */
  readonly edges: readonly number[];
  readonly exports: readonly WantedExport[];
  readonly acts: readonly Act[];
}

/** Rows that begin in a half-open range of time, in epoch milliseconds. */
export interface Batch {
  readonly afterMs: number;
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** Whether its rows get no patches and no feedback, which would register their day again. */
  readonly isPlain: boolean;
}

export interface WantedExport {
  readonly afterMs: number;
  /** In epoch microseconds, as `end`. */
  readonly start: number;
  readonly end: number | null;
  readonly intervalHours: number | null;
  readonly catchUp: CatchUpOrder | null;
  /** Number of windows after which a schedule is cancelled. */
  readonly windows: number;
  readonly formatVersion: FormatVersion;
  readonly exportFields: readonly ExportField[] | null;
  readonly compression: Compression;
}

/** An action of the customer. `target`: index of the export. */
export interface Act {
  readonly afterMs: number;
  readonly kind: (typeof ACTS)[number];
  readonly target: number;
}

/** `pause` is followed by a resume. `retry` retries each failed run of the export. */
const ACTS = ["cancel", "pause", "retry", "rotate", "look", "delete_destination"] as const;

/** Probability that a world has actions of a kind. */
const CHANCES: Readonly<Record<Act["kind"], number>> = {
  cancel: 0.2,
  pause: 0.3,
  retry: 0.2,
  rotate: 0.2,
  look: 0.2,
  delete_destination: 0.05,
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Noon of a day that no other test uses, so that logs of the simulation can be recognized. */
export const STARTS_AT = Date.parse("2031-03-04T12:00:00.000Z");

/** Permissions that the credentials of a world lack for its whole duration. */
const RIGHTS = ["head_forbidden", "abort_forbidden", "delete_forbidden"] as const;

/** Probabilities of a fault in a world that has it. Crashes are drawn for each turn. */
const RATES: Partial<Record<Fault, readonly number[]>> = {
  crash_before_commit: [0.002, 0.01, 0.03],
  crash_after_commit: [0.002, 0.01, 0.03],
  eviction: [0.05, 0.5],
  slow_commit: [0.02, 0.2],
  segments_slow: [0.1, 0.5],
};
const USUAL_RATES = [0.01, 0.03, 0.1];

/** Faults that end an export immediately. They are rare, because they would hide other faults. */
const FINAL: readonly Fault[] = ["access_denied", "expired_token", "redirect"];
const FINAL_RATES = [0.003, 0.02];

export function scenarioOf(seed: number): Scenario {
  const random = new Random(seed);
  const days = Array.from({ length: random.between(1, 3) }, (_, i) => dayBefore(STARTS_AT, i)).reverse();
  const horizonMs = random.pick([30 * SECOND, 5 * MINUTE, HOUR]);
  const instant = () => random.between(0, horizonMs);
  const rates = ratesOf(random);
  const exports = Array.from({ length: random.between(1, 4) }, () => wantedExport(random, days, instant()));
  return {
    seed,
    startsAt: STARTS_AT,
    healsAfterMs: horizonMs * random.between(1, 3),
    settings: settingsOf(random),
    bucket: {
      minPartBytes: MIN_PART_BYTES,
      mayRead: !rates.has("head_forbidden"),
      mayAbort: !rates.has("abort_forbidden"),
      mayDelete: !rates.has("delete_forbidden"),
    },
    rates,
    restartsAfterMs: Array.from({ length: rates.has("restart") ? random.between(1, 3) : 0 }, instant),
    bucketAwayMs: rates.has("bucket_removed") ? awayFrom(instant(), random.between(SECOND, 2 * MINUTE)) : null,
    days,
    batches: [
      ...Array.from({ length: random.between(1, 5) }, () => batch(random, days, random.chance(0.6) ? 0 : instant())),
      ...exports.filter(() => random.chance(0.4)).map(({ afterMs }) => batch(random, days, afterMs + soon(random))),
      ...exports.flatMap((wanted) => lateBatches(random, wanted)),
    ],
    edges: exports.flatMap(edgesOf),
    exports,
    acts: actsOf(random, rates.has("segments_slow"), exports, instant),
  };
}

function batch(random: Random, days: readonly string[], afterMs: number): Batch {
  const { start, end } = windowOfDay(random.pick(days));
  return { afterMs, start, end, rows: random.between(0, 5), isPlain: false };
}

/**
 * Rows of the windows of a schedule: shortly before its export and while that seals them, or later. Another call follows
 * a call within 3 ms, and some ten calls lead from a window's end to its seal.
 */
function lateBatches(random: Random, { afterMs, start, intervalHours, windows }: WantedExport): readonly Batch[] {
  if (intervalHours === null) return [];
  const lengthMs = intervalHours * HOUR;
  const indices = Array.from({ length: windows }, (_, index) => index).filter(() => random.chance(0.7));
  return indices.flatMap((index) => {
    const window = windowOf(start, intervalHours, index);
    const exportedMs = Math.max(afterMs, window.end / MICROS_PER_MS + LIMITS.spawnDelayMs - STARTS_AT);
    const isPlain = random.chance(0.7);
    const after = (delayMs: number): Batch => ({
      afterMs: Math.max(0, exportedMs + delayMs),
      ...window,
      rows: random.between(1, 4),
      isPlain,
    });
    if (isPlain) return [after(-random.between(1, 2000)), after(random.between(0, 60))];
    return [after(random.chance(0.5) ? soon(random) : random.between(0, lengthMs))];
  });
}

/** Bounds of the windows of an export. */
const edgesOf = ({ start, end, intervalHours, windows }: WantedExport): readonly number[] =>
  intervalHours === null
    ? [start, ...(end === null ? [] : [end])]
    : Array.from({ length: windows + 1 }, (_, index) => windowOf(start, intervalHours, index).start);

/** A delay after which an export is probably running: immediately, during a slow call, or between two attempts. */
const soon = (random: Random): number => random.between(0, random.pick([200, 3 * SECOND, 40 * SECOND]));

/**
 * A few kinds of actions per world, often while the export is running. Slow worlds have more pauses, because there a
 * pause and its resume can both happen during a step.
 */
function actsOf(
  random: Random,
  isSlow: boolean,
  exports: readonly WantedExport[],
  instant: () => number,
): readonly Act[] {
  const chances = { ...CHANCES, ...(isSlow && { pause: 0.9 }) };
  const kinds = ACTS.filter((kind) => random.chance(chances[kind]));
  if (kinds.length === 0) return [];
  return Array.from({ length: random.between(1, 6) }, () => {
    const target = random.between(0, exports.length - 1);
    const begun = exports[target]?.afterMs ?? 0;
    return { afterMs: random.chance(0.3) ? instant() : begun + soon(random), kind: random.pick(kinds), target };
  });
}

function wantedExport(random: Random, days: readonly string[], afterMs: number): WantedExport {
  const first = Date.parse(`${days[0]}T00:00:00.000Z`);
  const isSchedule = random.chance(0.2);
  const from = random.chance(0.7) ? first : first + random.between(1, 23) * HOUR;
  const intervalHours = random.pick([1, 6, 24]);
  return {
    afterMs,
    start: (isSchedule ? STARTS_AT - random.between(0, 2) * intervalHours * HOUR - 30 * MINUTE : from) * MICROS_PER_MS,
    end: isSchedule
      ? null
      : (random.chance(0.7) ? first + days.length * DAY_MS : from + random.between(1, 30) * HOUR) * MICROS_PER_MS,
    intervalHours: isSchedule ? intervalHours : null,
    // Derived, so that a seed gives the same world as before.
    catchUp: isSchedule ? (CATCH_UP_ORDERS[afterMs % 2] ?? null) : null,
    windows: random.between(1, 4),
    formatVersion: random.pick(["v1", "v2_beta"]),
    exportFields: random.chance(0.2) ? null : fieldsOf(random),
    compression: random.chance(0.6) ? "zstandard" : random.pick(["snappy", "gzip", "none"]),
  };
}

/** The fields that patches and feedback change. */
const MERGED: readonly ExportField[] = ["extra", "outputs", "feedback_stats"];

/** Always includes the id, which identifies rows. */
function fieldsOf(random: Random): readonly ExportField[] {
  return [
    "id",
    ...EXPORT_FIELDS.filter((field) => field !== "id" && random.chance(MERGED.includes(field) ? 0.4 : 0.1)),
  ];
}

const settingsOf = (random: Random): Readonly<Record<string, string>> => {
  const settings = {
    MASTER_KEYS: `simulated:${Buffer.alloc(32, 7).toString("base64")}`,
    ADMIN_KEY: "unused",
    MAX_RETRIES: random.between(0, 3),
    RETRY_DELAY_MS: random.pick([100, 5 * SECOND, 30 * SECOND]),
    RUN_TIMEOUT_MS: random.chance(0.1) ? 2 * MINUTE : 4 * HOUR,
    EXPORT_TIMEOUT_MS: random.chance(0.1) ? 5 * MINUTE : 72 * HOUR,
    MAX_RUNNING_RUNS: random.between(1, 3),
    MAX_RUNNING_EXPORTS: random.between(1, 3),
    TARGET_FILE_BYTES: random.pick([1, 3000, 20_000]),
    PART_BYTES: random.pick([MIN_PART_BYTES, 2 * MIN_PART_BYTES, 64 * MIN_PART_BYTES]),
    PARTS_IN_FLIGHT: random.between(1, 4),
    SEAL_BYTES: random.pick([1, 3000, 1_000_000]),
    SEAL_AGE_MS: random.pick([0, MINUTE, 10 * MINUTE]),
    SEGMENT_RAW_BYTES: random.pick([200, 1000, 100_000]),
    SHARDS_PER_PROJECT: random.pick([1, 1, 2]),
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
};

/** A few kinds of faults per world, so that each occurs often enough and is not hidden by others. */
function ratesOf(random: Random): ReadonlyMap<Fault, number> {
  const share = random.pick([0, 0.1, 0.25, 0.5]);
  const rates = new Map<Fault, number>();
  for (const fault of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) {
    if (!random.chance(RIGHTS.includes(fault as (typeof RIGHTS)[number]) ? share / 3 : share)) continue;
    rates.set(fault, random.pick(FINAL.includes(fault) ? FINAL_RATES : (RATES[fault] ?? USUAL_RATES)));
  }
  // Without permission to read, a lost object cannot be detected.
  if (rates.has("head_forbidden")) rates.delete("fake_put");
  return rates;
}

const awayFrom = (from: number, forMs: number): readonly [number, number] => [from, from + forMs];

const dayBefore = (instant: number, days: number): string =>
  new Date(instant - days * DAY_MS).toISOString().slice(0, 10);
