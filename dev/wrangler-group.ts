import { spawn } from "node:child_process";

/**
 * Runs wrangler in a process group of its own, together with workerd and the bundler, so that a signal to the group
 * reaches all of them. If the parent process dies, the IPC channel closes, and this process kills the whole group.
 */
const [cli, ...args] = process.argv.slice(2);
if (cli === undefined) throw new Error("usage: wrangler-group.ts <wrangler cli> [arguments]");

const endGroup = (): void => void process.kill(0, "SIGKILL");

process.on("disconnect", endGroup);
// The whole group receives these signals: wrangler stops itself, and this process exits after it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

spawn(process.execPath, ["--no-warnings", cli, ...args], { stdio: ["ignore", "inherit", "inherit"] }).on(
  "exit",
  (code) => {
    process.removeListener("disconnect", endGroup);
    process.exit(code ?? 1);
  },
);
