import { spawn } from "node:child_process";

/**
 * Runs wrangler as the head of a process group of its own, in which workerd and the bundler live too. Signals sent to
 * the group reach all of them. When the program that started this one dies without a word, its channel closes, and
 * the whole group goes with it: nothing is left listening.
 */
const [cli, ...args] = process.argv.slice(2);
if (cli === undefined) throw new Error("usage: wrangler-group.ts <wrangler cli> [arguments]");

const endGroup = (): void => void process.kill(0, "SIGKILL");

process.on("disconnect", endGroup);
// The group receives these as a whole: wrangler ends itself, and this process follows when it has.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

spawn(process.execPath, ["--no-warnings", cli, ...args], { stdio: ["ignore", "inherit", "inherit"] }).on(
  "exit",
  (code) => {
    process.removeListener("disconnect", endGroup);
    process.exit(code ?? 1);
  },
);
