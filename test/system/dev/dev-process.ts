import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WaybillConfig } from "../../../dev/config.ts";
import { freePort } from "../../../dev/ports.ts";
import { searchState } from "../../support/secrets/state.ts";

const folders: string[] = [];
const started: Dev[] = [];

/** A state directory that `stopAll` removes. */
export const stateFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "waybill-dev-"));
  folders.push(path);
  return path;
};

/** `npm run dev` as its own process. */
export interface Dev {
  readonly child: ChildProcess;
  readonly port: number;
  readonly stateDir: string;
  readonly output: () => string;
  /** Exit code of the process. */
  readonly ended: Promise<number | null>;
}

interface DevOptions {
  readonly port?: number;
  readonly stateDir?: string;
  readonly settings?: Record<string, string>;
  /** Program and arguments; absent: Node runs dev/dev.mjs itself. */
  readonly command?: readonly [string, ...string[]];
}

export const startDev = async (options: DevOptions = {}): Promise<Dev> => {
  const port = options.port ?? (await freePort());
  const stateDir = options.stateDir ?? stateFolder();
  const env = { ...process.env, ...options.settings, PORT: String(port), STATE_DIR: stateDir };
  const [program, ...args] = options.command ?? [process.execPath, "dev/dev.mjs"];
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => {
      output += text.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const dev = { child, port, stateDir, output: () => output, ended };
  started.push(dev);
  return dev;
};

/** Waits until the service listens; `stateDir`: where this process sees its state directory. */
export const untilListening = async (dev: Dev, stateDir = dev.stateDir): Promise<WaybillConfig> => {
  const over = dev.ended.then(() => "ended" as const);
  for (;;) {
    if (dev.output().includes("Ctrl-C stops the service")) break;
    const pause = new Promise<"on">((resume) => setTimeout(() => resume("on"), 50));
    if ((await Promise.race([over, pause])) === "ended") throw new Error(`it ended: ${dev.output()}`);
  }
  return JSON.parse(readFileSync(join(stateDir, "waybill.json"), "utf8")) as WaybillConfig;
};

/** Processes, zombies aside, whose command line holds the text: workerd and wrangler name their state directory. */
export const processesNaming = (text: string): number[] =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((processId) => {
      try {
        return readFileSync(`/proc/${processId}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });

export const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Stops all that `startDev` started, and searches their state for secrets. */
export const stopAll = async (): Promise<void> => {
  for (const dev of started.splice(0)) {
    dev.child.kill("SIGTERM");
    await dev.ended;
  }
  for (const path of folders.splice(0)) {
    searchState(path);
    rmSync(path, { recursive: true, force: true });
  }
};
