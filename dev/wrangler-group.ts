import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { RUNTIME_CRASHED } from "./wrangler.ts";

/**
 * Runs wrangler in a process group of its own, together with workerd and the bundler, so that a signal to the group
 * reaches all of them. If the parent process dies, the IPC channel closes, and this process kills the whole group.
 *
 * It copies wrangler's output to its own, which is the log, and tells the parent when workerd has crashed.
 */
const [cli, ...args] = process.argv.slice(2);
if (cli === undefined) throw new Error("usage: wrangler-group.ts <wrangler cli> [arguments]");

/** What wrangler prints when workerd ended and it starts another one. */
const CRASH_TEXT = "The Workers runtime crashed unexpectedly";
/** File descriptor of the log: the output of this process. */
const LOG = 1;
const LAST_LINES_WITHIN_MS = 1000;

const endGroup = (): void => void process.kill(0, "SIGKILL");

process.on("disconnect", endGroup);
// The whole group receives these signals: wrangler stops itself, and this process exits after it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

const wrangler = spawn(process.execPath, ["--no-warnings", cli, ...args], { stdio: ["ignore", "pipe", "pipe"] });

const forward = (stream: NodeJS.ReadableStream): void => {
  let last = "";
  stream.on("data", (piece: Buffer) => {
    writeLog(piece);
    const text = last + piece.toString("latin1");
    const crashed = text.includes(CRASH_TEXT);
    if (crashed) process.send?.(RUNTIME_CRASHED);
    last = crashed ? "" : text.slice(-CRASH_TEXT.length);
  });
};

/** A disk that is full costs lines of the log, not the service. */
const writeLog = (piece: Buffer): void => {
  try {
    writeSync(LOG, piece);
  } catch {
    // There is no other place to say it; requests are answered with the reason.
  }
};

forward(wrangler.stdout);
forward(wrangler.stderr);
wrangler.on("exit", (code) => {
  process.removeListener("disconnect", endGroup);
  const end = (): void => process.exit(code ?? 1);
  // Its last lines say why it ended. They are not waited for long: workerd may live and hold the pipe open.
  wrangler.on("close", end);
  setTimeout(end, LAST_LINES_WITHIN_MS);
});
