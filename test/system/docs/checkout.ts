import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandsToTry } from "../../../dev/commands.ts";
import { type WaybillConfig, writeConfig } from "../../../dev/config.ts";
import { createWorkspace } from "../../../dev/workspace.ts";
import { ROOT } from "../../architecture/source-files.ts";
import { addSecrets, search } from "../../support/secrets/leaks.ts";

/** A folder that looks like a checkout in which `npm run dev` is running, with its own workspace. */
export interface Checkout {
  readonly folder: string;
  /**
   * Runs a script with bash and returns its output. Rejects when a command fails, a request is answered with
   * 400 or more, or the script takes longer than two minutes.
   */
  run(script: string): Promise<string>;
}

/** Entries that checkouts do not share: the state of the service, and git's. */
const OWN = [".dev", ".git"];

/** These would replace the packages that all checkouts share. */
const INSTALLS = /\bnpm (?:install|i|ci)\b/;

const TIMEOUT_MS = 120_000;

export async function openCheckout(service: WaybillConfig, folder: string): Promise<Checkout> {
  const state = join(folder, ".dev");
  mkdirSync(state, { recursive: true });
  for (const name of readdirSync(ROOT).filter((one) => !OWN.includes(one))) {
    // wrangler resolves links, and then finds no output that lies beside them.
    if (name === "examples") cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    else symlinkSync(join(ROOT, name), join(folder, name));
  }
  const { workspaceId, apiKey } = await createWorkspace(service.url, service.admin_key, "docs");
  addSecrets(apiKey);
  const config = { ...service, workspace_id: workspaceId, api_key: apiKey };
  writeConfig(state, config);
  commandsToTry(config, state); // writes the file with the headers
  // curl exits with an error for answers of 400 and more, and still prints them.
  writeFileSync(join(folder, ".curlrc"), "fail-with-body\n");
  const env = { ...process.env, CURL_HOME: folder, CI: "1", WRANGLER_SEND_METRICS: "false", STATE_DIR: "" };
  return {
    folder,
    async run(script) {
      if (INSTALLS.test(script)) throw new Error("a documented command that installs packages must not run");
      const printed = await runBash(`set -euo pipefail\n${script}`, folder, env);
      search(printed, "what a documented command prints");
      return printed;
    },
  };
}

/** Ends the script and all processes that it started. */
function runBash(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const bash = spawn("bash", ["-c", script], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [bash.stdout, bash.stderr]) stream.on("data", (text: Buffer) => (printed += text.toString()));
    const timer = setTimeout(() => bash.pid !== undefined && process.kill(-bash.pid, "SIGKILL"), TIMEOUT_MS);
    bash.once("error", reject);
    bash.once("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(printed);
      else reject(new Error(`the commands ended with ${code ?? "a signal"}; they printed:\n${printed}`));
    });
  });
}
