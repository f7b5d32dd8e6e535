import type { Credentials } from "./domain/destination/records.ts";
import { RETENTION_DAYS } from "./domain/project/retention.ts";
import type { Compression } from "./domain/shared/fields.ts";
import { LIMITS, type Limits } from "./domain/shared/limits.ts";

/** Variant of statuses and defaults on the wire; src/http/kernel/wire-profile.ts defines each one. */
export type WireProfileName = "spec" | "langsmith";

/** Jurisdiction of all Durable Objects of the deployment [WIR-11]. */
export type Jurisdiction = "eu" | "fedramp";

/** All settings of the operator, read from the environment by `readSettings`. */
export interface Settings {
  readonly limits: Limits;
  readonly wireProfile: WireProfileName;
  /** Compression of an export that names none. */
  readonly defaultCompression: Compression;
  /** Allows `endpoint_url` to be plain http on this machine. For local development only. */
  readonly allowLoopbackEndpoints: boolean;
  /** Credentials of destinations that are created without credentials [DST-10]; null: these are refused. */
  readonly environmentCredentials: Credentials | null;
  /** Shards of a project created from now on; existing projects keep theirs. */
  readonly shardsPerProject: number;
  /** Hot bytes at which a trace shard seals ended runs. */
  readonly sealBytes: number;
  /** Age at which hot runs are sealed, whatever their size. */
  readonly sealAgeMs: number;
  /** Hot bytes of a trace shard above which it refuses changes until it has sealed. */
  readonly maxHotBytes: number;
  /** Maximum number and bytes of a tenant's unrouted changes; above either, more are refused. */
  readonly maxParkedChanges: number;
  readonly maxParkedBytes: number;
  /** Maximum uncompressed bytes of one segment. */
  readonly segmentRawBytes: number;
  /** Maximum bytes of an ingest body after decompression. */
  readonly maxBodyBytes: number;
  /** Default retention of projects created from now on; null: unlimited. Existing projects keep theirs. */
  readonly retentionDays: number | null;
  /** Rate limit of one API key: sustained requests per second, and burst size. */
  readonly rateLimitPerSecond: number;
  readonly rateLimitBurst: number;
  /** Public address of this service, without a trailing slash; null: the address of the request. */
  readonly publicUrl: string | null;
  /** null: the platform chooses. */
  readonly jurisdiction: Jurisdiction | null;
}

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Minimum size of a part, and maximum number of parts of an object, in S3 (AWS: Multipart upload limits). */
const MIN_PART_BYTES = 5 * MIB;
const MAX_PARTS = 10_000;

/** Names and bounds of the settings in `Limits`. The bounds allow a file of any size to be uploaded with any part size. */
const LIMIT_SETTINGS: { readonly [Name in keyof Limits]: readonly [setting: string, min: number, max: number] } = {
  maxRetries: ["MAX_RETRIES", 0, 1000],
  retryDelayMs: ["RETRY_DELAY_MS", 0, 24 * HOUR_MS],
  runTimeoutMs: ["RUN_TIMEOUT_MS", 1, 365 * 24 * HOUR_MS],
  exportTimeoutMs: ["EXPORT_TIMEOUT_MS", 1, 365 * 24 * HOUR_MS],
  maxRunningRuns: ["MAX_RUNNING_RUNS", 1, 1000],
  maxRunningExports: ["MAX_RUNNING_EXPORTS", 1, 1000],
  spawnDelayMs: ["SPAWN_DELAY_MS", 0, 24 * HOUR_MS],
  targetFileBytes: ["TARGET_FILE_BYTES", 1, MAX_PARTS * MIN_PART_BYTES],
  partBytes: ["PART_BYTES", MIN_PART_BYTES, 64 * MIB],
  partsInFlight: ["PARTS_IN_FLIGHT", 1, 16],
  slowDownPauseMs: ["SLOW_DOWN_PAUSE_MS", 0, 24 * HOUR_MS],
};

/**
 * Reads all settings. An empty value counts as absent. Throws an error that names the setting and the allowed values if a
 * value is not valid: the deployment is misconfigured, and a default would hide that.
 */
export const readSettings = (env: Readonly<Record<string, unknown>>): Settings => ({
  limits: readLimits(env),
  wireProfile: readChoice(env, "WIRE_PROFILE", ["spec", "langsmith"], "spec"),
  defaultCompression: readChoice(env, "DEFAULT_COMPRESSION", ["zstandard", "snappy", "gzip", "none"], "zstandard"),
  allowLoopbackEndpoints: readFlag(env, "ALLOW_LOOPBACK_ENDPOINTS"),
  environmentCredentials: readEnvironmentCredentials(env),
  shardsPerProject: readNumber(env, "SHARDS_PER_PROJECT", 1, 1, 64),
  sealBytes: readNumber(env, "SEAL_BYTES", 16 * MIB, 1, 1024 * MIB),
  sealAgeMs: readNumber(env, "SEAL_AGE_MS", 10 * MINUTE_MS, 0, 24 * HOUR_MS),
  // Ten seconds of sealing at the measured 25 MB/s, and 1/40 of the storage limit of a Durable Object (10 GB).
  maxHotBytes: readNumber(env, "MAX_HOT_BYTES", 256 * MIB, 1, 4096 * MIB),
  // Every snapshot and query searches its days for all of these runs: ten calls to each shard, with 10,000 ids each.
  maxParkedChanges: readNumber(env, "MAX_PARKED_CHANGES", 100_000, 2, 10_000_000),
  maxParkedBytes: readNumber(env, "MAX_PARKED_BYTES", 256 * MIB, 2, 4096 * MIB),
  segmentRawBytes: readNumber(env, "SEGMENT_RAW_BYTES", 16 * MIB, 1, 64 * MIB),
  maxBodyBytes: readNumber(env, "MAX_BODY_BYTES", 100 * MIB, 1, 1024 * MIB),
  retentionDays: readRetentionDays(env),
  rateLimitPerSecond: readNumber(env, "RATE_LIMIT_PER_SECOND", 200, 1, 1_000_000),
  rateLimitBurst: readNumber(env, "RATE_LIMIT_BURST", 2000, 1, 1_000_000),
  publicUrl: readPublicUrl(env),
  jurisdiction: readJurisdiction(env),
});

const readLimits = (env: Readonly<Record<string, unknown>>): Limits => {
  const limit = (name: keyof Limits): number => {
    const [setting, min, max] = LIMIT_SETTINGS[name];
    return readNumber(env, setting, LIMITS[name], min, max);
  };
  return {
    maxRetries: limit("maxRetries"),
    retryDelayMs: limit("retryDelayMs"),
    runTimeoutMs: limit("runTimeoutMs"),
    exportTimeoutMs: limit("exportTimeoutMs"),
    maxRunningRuns: limit("maxRunningRuns"),
    maxRunningExports: limit("maxRunningExports"),
    spawnDelayMs: limit("spawnDelayMs"),
    targetFileBytes: limit("targetFileBytes"),
    partBytes: limit("partBytes"),
    partsInFlight: limit("partsInFlight"),
    slowDownPauseMs: limit("slowDownPauseMs"),
  };
};

const readRetentionDays = (env: Readonly<Record<string, unknown>>): number | null => {
  const days = readNumber(env, "RETENTION_DAYS", 0, RETENTION_DAYS.min, RETENTION_DAYS.max);
  return days === 0 ? null : days;
};

const readJurisdiction = (env: Readonly<Record<string, unknown>>): Jurisdiction | null => {
  const value = readChoice(env, "JURISDICTION", ["", "eu", "fedramp"], "");
  return value === "" ? null : value;
};

const readPublicUrl = (env: Readonly<Record<string, unknown>>): string | null => {
  const text = readText(env, "PUBLIC_URL");
  if (text === "") return null;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error(
    `Setting PUBLIC_URL must be an address without a path, such as https://traces.example.com; it is "${text}".`,
  );
};

const readEnvironmentCredentials = (env: Readonly<Record<string, unknown>>): Credentials | null => {
  if (!readFlag(env, "ALLOW_ENVIRONMENT_CREDENTIALS")) return null;
  const sessionToken = readText(env, "AWS_SESSION_TOKEN");
  return {
    accessKeyId: readRequiredText(env, "AWS_ACCESS_KEY_ID", "ALLOW_ENVIRONMENT_CREDENTIALS is true"),
    secretAccessKey: readRequiredText(env, "AWS_SECRET_ACCESS_KEY", "ALLOW_ENVIRONMENT_CREDENTIALS is true"),
    sessionToken: sessionToken === "" ? null : sessionToken,
  };
};

const readNumber = (
  env: Readonly<Record<string, unknown>>,
  name: string,
  defaultValue: number,
  min: number,
  max: number,
): number => {
  const text = readText(env, name);
  if (text === "") return defaultValue;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`Setting ${name} must be a whole number from ${min} to ${max}, in digits only; it is "${text}".`);
};

const readFlag = (env: Readonly<Record<string, unknown>>, name: string): boolean =>
  readChoice(env, name, ["false", "true"], "false") === "true";

const readChoice = <Choice extends string>(
  env: Readonly<Record<string, unknown>>,
  name: string,
  choices: readonly Choice[],
  defaultValue: Choice,
): Choice => {
  const text = readText(env, name);
  if (text === "") return defaultValue;
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  const allowed = choices.filter((candidate) => candidate !== "").map((candidate) => `"${candidate}"`);
  throw new Error(`Setting ${name} must be one of ${allowed.join(", ")}; it is "${text}".`);
};

const readRequiredText = (env: Readonly<Record<string, unknown>>, name: string, because: string): string => {
  const text = readText(env, name);
  if (text !== "") return text;
  throw new Error(`Setting ${name} is required because ${because}.`);
};

/** wrangler.toml may hold numbers and booleans; environment variables hold text only. */
const readText = (env: Readonly<Record<string, unknown>>, name: string): string => {
  const value = env[name];
  if (value === undefined || value === null) return "";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Error(`Setting ${name} must be text.`);
};
