import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DevFailure } from "./failure.ts";

export interface WranglerOptions {
  readonly port: number;
  readonly inspectorPort: number;
  /** Holds the state of objects and buckets, and wrangler's log. */
  readonly stateDir: string;
  readonly envFiles: readonly string[];
}

/** `wrangler dev` and the processes it started. */
export interface Wrangler {
  /** Id of their process group. */
  readonly groupId: number;
  readonly logFile: string;
  /** Resolves when wrangler has ended, by `stop` or unexpectedly. */
  readonly ended: Promise<void>;
  /** Calls `react` each time that workerd has crashed. wrangler starts another one, which may answer or not. */
  onCrash(react: () => void): void;
  /** Ends the whole group and waits for it. */
  stop(): Promise<void>;
}

const ROOT = dirname(import.meta.dirname);
/** wrangler normally stops within a second. After this time the group is killed. */
const STOP_WITHIN_MS = 5000;

/** What the head of the process group sends when workerd crashed. */
export const RUNTIME_CRASHED = "runtime crashed";

/**
 * Starts `wrangler dev` for the service and the local bucket, on 127.0.0.1 only. The log of an earlier start is kept as
 * `wrangler.previous.log`: it says how that one ended.
 */
export const startWrangler = (options: WranglerOptions): Wrangler => {
  const logFile = join(options.stateDir, "wrangler.log");
  if (existsSync(logFile)) renameSync(logFile, join(options.stateDir, "wrangler.previous.log"));
  const log = openSync(logFile, "w", 0o600);
  const group = spawn(process.execPath, [join(ROOT, "dev/wrangler-group.ts"), wranglerCli(), ...argumentsOf(options)], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    env: {
      ...process.env,
      ...QUIET,
      ...recordingOfSpans(),
      WRANGLER_REGISTRY_PATH: join(options.stateDir, "registry"),
    },
  });
  closeSync(log);
  const groupId = group.pid;
  if (groupId === undefined) throw new DevFailure("wrangler could not be started: the process could not be created.");
  const ended = new Promise<void>((resolve) => group.once("exit", () => resolve()));
  const onCrash = (react: () => void): void => {
    group.on("message", (message) => {
      if (message === RUNTIME_CRASHED) react();
    });
  };
  return { groupId, logFile, ended, onCrash, stop: () => stopGroup(group, groupId, ended) };
};

/** The last non-empty lines of wrangler's log, without colours. */
export const lastLogLines = (logFile: string, count: number): string =>
  readFileSync(logFile, "utf8")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
    .replace(/\u001b\[[0-9;]*m/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-count)
    .join("\n");

/** Whether the log reports a failed build. */
export const hasFailedBuild = (logFile: string): boolean => readFileSync(logFile, "utf8").includes("Build failed");

/** Whether the log reports that a port is in use: one of the options, or one that wrangler chose itself. */
export const hasPortConflict = (logFile: string): boolean =>
  readFileSync(logFile, "utf8").includes("Address already in use");

const SPANS_SWITCH = "X_LOCAL_OBSERVABILITY";

/** Disables questions, reports and requests to the internet. */
const QUIET = {
  CI: "1",
  NO_COLOR: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

/**
 * By default wrangler records a span of each SQL statement. That takes as much disk as the data and up to half the
 * ingest rate, so it is off unless the environment enables it [LOC-13].
 */
const recordingOfSpans = (): { readonly [SPANS_SWITCH]: string } => ({
  [SPANS_SWITCH]: process.env[SPANS_SWITCH] || "false",
});

const argumentsOf = (options: WranglerOptions): string[] => [
  "dev",
  "--config=wrangler.toml",
  "--config=dev/bucket.toml",
  "--ip=127.0.0.1",
  `--port=${options.port}`,
  "--inspector-ip=127.0.0.1",
  `--inspector-port=${options.inspectorPort}`,
  `--persist-to=${join(options.stateDir, "state")}`,
  ...options.envFiles.map((file) => `--env-file=${file}`),
  "--show-interactive-dev-session=false",
];

/** Path of wrangler's program; throws a DevFailure if it is not installed. */
export const wranglerCli = (): string => {
  try {
    const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
    const cli = join(dirname(manifest), "wrangler-dist/cli.js");
    if (existsSync(cli)) return cli;
  } catch {
    // Not installed; reported below.
  }
  throw new DevFailure("wrangler is not installed. Run `npm install` first.");
};

const stopGroup = async (group: ChildProcess, groupId: number, ended: Promise<void>): Promise<void> => {
  const killer = setTimeout(() => signalGroup(groupId, "SIGKILL"), STOP_WITHIN_MS);
  if (group.exitCode === null && group.signalCode === null) signalGroup(groupId, "SIGTERM");
  await ended;
  clearTimeout(killer);
  signalGroup(groupId, "SIGKILL");
};

const signalGroup = (groupId: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-groupId, signal);
  } catch {
    // The group has already ended.
  }
};
