import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DevFailure } from "./failure.ts";

export interface WranglerOptions {
  readonly port: number;
  readonly inspectorPort: number;
  /** Holds state of objects and buckets, and wrangler's log. */
  readonly stateDir: string;
  readonly envFiles: readonly string[];
}

/** `wrangler dev` with everything it started. */
export interface Wrangler {
  /** Identifier of the process group in which workerd and all others run. */
  readonly groupId: number;
  readonly logFile: string;
  /** Resolves when it ended, by itself or by `stop`. */
  readonly ended: Promise<void>;
  /** Ends the whole group and waits until it is gone. */
  stop(): Promise<void>;
}

const ROOT = dirname(import.meta.dirname);
/** wrangler ends within a second when asked; what is left after this is killed. */
const STOP_WITHIN_MS = 5000;

/** Starts `wrangler dev` for the service and the local bucket, on 127.0.0.1 only. */
export const startWrangler = (options: WranglerOptions): Wrangler => {
  const logFile = join(options.stateDir, "wrangler.log");
  const log = openSync(logFile, "w", 0o600);
  const group = spawn(process.execPath, [join(ROOT, "dev/wrangler-group.ts"), wranglerCli(), ...argumentsOf(options)], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    env: { ...process.env, ...QUIET, WRANGLER_REGISTRY_PATH: join(options.stateDir, "registry") },
  });
  closeSync(log);
  const groupId = group.pid;
  if (groupId === undefined) throw new DevFailure("wrangler could not be started: no process was made.");
  const ended = new Promise<void>((resolve) => group.once("exit", () => resolve()));
  return { groupId, logFile, ended, stop: () => stopGroup(group, groupId, ended) };
};

/** The last lines of wrangler's log that are not decoration, for the message about a start that failed. */
export const lastLogLines = (logFile: string, count: number): string =>
  readFileSync(logFile, "utf8")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
    .replace(/\u001b\[[0-9;]*m/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-count)
    .join("\n");

/** Whether wrangler has said that the source does not build. */
export const hasFailedBuild = (logFile: string): boolean => readFileSync(logFile, "utf8").includes("Build failed");

/** Whether it has said that a port was taken: one of those it was given, or one it had found itself. */
export const hasMetTakenPort = (logFile: string): boolean =>
  readFileSync(logFile, "utf8").includes("Address already in use");

/** No questions, no reports, and no requests to the internet. */
const QUIET = {
  CI: "1",
  NO_COLOR: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

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

/** Path of the program that `npm install` brought; fails with a plain message when there is none. */
export const wranglerCli = (): string => {
  try {
    const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
    const cli = join(dirname(manifest), "wrangler-dist/cli.js");
    if (existsSync(cli)) return cli;
  } catch {
    // Not installed: the message below says so.
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
    // The group is gone, which is what was wanted.
  }
};
