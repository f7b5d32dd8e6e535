import type { Credentials } from "./domain/destination/records.ts";
import { RETENTION_DAYS } from "./domain/project/retention.ts";
import type { Compression } from "./domain/shared/format.ts";
import { LIMIT_SETTINGS, type Limits, type NumberSetting, numbersOf } from "./domain/shared/limits.ts";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Variant of statuses and defaults on the wire; src/http/kernel/wire-profile.ts defines each one. */
export type WireProfileName = "spec" | "langsmith";

/** Jurisdiction of all Durable Objects of the deployment [WIR-11]. */
export type Jurisdiction = "eu" | "fedramp";

/** The numbers that the operator may set, in addition to the limits of the domain. */
const NUMBER_SETTINGS = {
  /** Shards of a project created from now on; existing projects keep theirs. */
  shardsPerProject: { variable: "SHARDS_PER_PROJECT", preset: 1, min: 1, max: 64 },
  /** Hot bytes at which a trace shard seals ended runs. */
  sealBytes: { variable: "SEAL_BYTES", preset: 16 * MIB, min: 1, max: 1024 * MIB },
  /** Age at which hot runs are sealed, regardless of their size. */
  sealAgeMs: { variable: "SEAL_AGE_MS", preset: 10 * MINUTE_MS, min: 0, max: 24 * HOUR_MS },
  /**
   * Hot bytes of a trace shard above which it refuses changes until it has sealed: ten seconds of sealing at the measured
   * 25 MB/s, and 1/40 of the storage limit of a Durable Object (10 GB).
   */
  maxHotBytes: { variable: "MAX_HOT_BYTES", preset: 256 * MIB, min: 1, max: 4096 * MIB },
  /**
   * A tenant's unrouted changes; above, more are refused. Every snapshot and query searches its days for all of these
   * runs: ten calls to each shard, with 10,000 ids each.
   */
  maxParkedChanges: { variable: "MAX_PARKED_CHANGES", preset: 100_000, min: 2, max: 10_000_000 },
  /** Bytes of a tenant's unrouted changes; above, more are refused. */
  maxParkedBytes: { variable: "MAX_PARKED_BYTES", preset: 256 * MIB, min: 2, max: 4096 * MIB },
  /** Maximum uncompressed bytes of one segment. */
  segmentRawBytes: { variable: "SEGMENT_RAW_BYTES", preset: 16 * MIB, min: 1, max: 64 * MIB },
  /** Maximum bytes of an ingest body after decompression. */
  maxBodyBytes: { variable: "MAX_BODY_BYTES", preset: 100 * MIB, min: 1, max: 1024 * MIB },
  /** Sustained requests per second of one API key. */
  rateLimitPerSecond: { variable: "RATE_LIMIT_PER_SECOND", preset: 200, min: 1, max: 1_000_000 },
  /** Burst size of one API key, in requests. */
  rateLimitBurst: { variable: "RATE_LIMIT_BURST", preset: 2000, min: 1, max: 1_000_000 },
} as const satisfies Readonly<Record<string, NumberSetting>>;

type Numbers = { readonly [Name in keyof typeof NUMBER_SETTINGS]: number };

/** All settings of the operator, read from the environment by `readSettings`. */
export interface Settings extends Numbers {
  readonly limits: Limits;
  readonly wireProfile: WireProfileName;
  /** Compression of an export that names none. */
  readonly defaultCompression: Compression;
  /** Allows `endpoint_url` to be plain http on this machine. For local development only. */
  readonly allowLoopbackEndpoints: boolean;
  /** Credentials of destinations that are created without credentials [DST-10]; null: these are refused. */
  readonly environmentCredentials: Credentials | null;
  /** Default retention of projects created from now on; null: unlimited. Existing projects keep theirs. */
  readonly retentionDays: number | null;
  /** Public address of this service, without a trailing slash; null: the address of the request. */
  readonly publicUrl: string | null;
  /** null: the platform chooses. */
  readonly jurisdiction: Jurisdiction | null;
}

type NumberVariable =
  | (typeof LIMIT_SETTINGS)[keyof typeof LIMIT_SETTINGS]["variable"]
  | (typeof NUMBER_SETTINGS)[keyof typeof NUMBER_SETTINGS]["variable"]
  | "RETENTION_DAYS";

/** The variables that settings are read from. wrangler.toml may hold numbers and booleans; the environment holds text. */
export type SettingVariables = { readonly [Name in NumberVariable]?: string | number } & {
  readonly WIRE_PROFILE?: string;
  readonly DEFAULT_COMPRESSION?: string;
  readonly ALLOW_LOOPBACK_ENDPOINTS?: string | boolean;
  readonly ALLOW_ENVIRONMENT_CREDENTIALS?: string | boolean;
  readonly AWS_ACCESS_KEY_ID?: string;
  readonly AWS_SECRET_ACCESS_KEY?: string;
  readonly AWS_SESSION_TOKEN?: string;
  readonly PUBLIC_URL?: string;
  readonly JURISDICTION?: string;
};

/** The unchecked environment: `readSettings` checks each value. */
type Environment = { readonly [Name in keyof SettingVariables]?: unknown };

/**
 * Reads all settings. An empty value counts as absent. Throws an error that names the setting and the allowed values if a
 * value is not valid: the deployment is misconfigured, and a default would hide that.
 */
export const readSettings = (env: Environment): Settings => ({
  ...numbersOf(NUMBER_SETTINGS, (setting) => readNumber(env, setting) ?? setting.preset),
  limits: numbersOf(LIMIT_SETTINGS, (setting) => readNumber(env, setting) ?? setting.preset),
  wireProfile: readChoice(env, "WIRE_PROFILE", ["spec", "langsmith"], "spec"),
  defaultCompression: readChoice(env, "DEFAULT_COMPRESSION", ["zstandard", "snappy", "gzip", "none"], "zstandard"),
  allowLoopbackEndpoints: readFlag(env, "ALLOW_LOOPBACK_ENDPOINTS"),
  environmentCredentials: readEnvironmentCredentials(env),
  retentionDays: readNumber(env, { variable: "RETENTION_DAYS", ...RETENTION_DAYS }),
  publicUrl: readPublicUrl(env),
  jurisdiction: readJurisdiction(env),
});

const readJurisdiction = (env: Environment): Jurisdiction | null => {
  const value = readChoice(env, "JURISDICTION", ["", "eu", "fedramp"], "");
  return value === "" ? null : value;
};

const readPublicUrl = (env: Environment): string | null => {
  const text = readText(env, "PUBLIC_URL");
  if (text === "") return null;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error(
    `Setting PUBLIC_URL must be an address without a path, such as https://traces.example.com; it is "${text}".`,
  );
};

const readEnvironmentCredentials = (env: Environment): Credentials | null => {
  if (!readFlag(env, "ALLOW_ENVIRONMENT_CREDENTIALS")) return null;
  const sessionToken = readText(env, "AWS_SESSION_TOKEN");
  return {
    accessKeyId: readRequiredText(env, "AWS_ACCESS_KEY_ID", "ALLOW_ENVIRONMENT_CREDENTIALS is true"),
    secretAccessKey: readRequiredText(env, "AWS_SECRET_ACCESS_KEY", "ALLOW_ENVIRONMENT_CREDENTIALS is true"),
    sessionToken: sessionToken === "" ? null : sessionToken,
  };
};

/** null: the variable is absent. */
const readNumber = (
  env: Environment,
  { variable, min, max }: Pick<NumberSetting, "min" | "max"> & { readonly variable: NumberVariable },
): number | null => {
  const text = readText(env, variable);
  if (text === "") return null;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`Setting ${variable} must be a whole number from ${min} to ${max}, in digits only; it is "${text}".`);
};

const readFlag = (env: Environment, name: keyof Environment): boolean =>
  readChoice(env, name, ["false", "true"], "false") === "true";

const readChoice = <Choice extends string>(
  env: Environment,
  name: keyof Environment,
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

const readRequiredText = (env: Environment, name: keyof Environment, because: string): string => {
  const text = readText(env, name);
  if (text !== "") return text;
  throw new Error(`Setting ${name} is required because ${because}.`);
};

const readText = (env: Environment, name: keyof Environment): string => {
  const value = env[name];
  if (value === undefined || value === null) return "";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Error(`Setting ${name} must be text.`);
};
