import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Laboratory } from "./laboratory.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SECTION = "**Runs that lie in ClickHouse already**";

/** The commands of the README's section on ClickHouse as they stand there. */
export const readmeCommands = (): string => {
  const [, section = ""] = readFileSync(join(ROOT, "README.md"), "utf8").split(SECTION);
  const [, commands] = /```sh\n(.*?)```/s.exec(section) ?? [];
  if (commands === undefined) throw new Error("the README has no commands for ClickHouse");
  return commands;
};

/** The statements among them that make the user whom Waybill asks as. */
export const readmeUser = (): { readonly creation: string; readonly grant: string } => {
  const commands = readmeCommands();
  const [, creation] = /"(CREATE USER [^"]*)"/.exec(commands) ?? [];
  const [, grant] = /"(GRANT [^"]*)"/.exec(commands) ?? [];
  if (creation === undefined || grant === undefined) throw new Error("the README makes no user of ClickHouse");
  return { creation, grant };
};

/** Runs the commands; answers with what they said. */
export const followReadme = async ({
  access,
  bridge,
}: Laboratory): Promise<{ readonly said: string; readonly projectId: string }> => {
  const env = {
    ...process.env,
    CLICKHOUSE: bridge.url,
    URL: access.url,
    KEY: access.api_key,
    WORKSPACE: access.workspace_id,
  };
  const script = `set -eu\n${readmeCommands()}\necho; echo "$PROJECT"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: ROOT, env });
  const lines = stdout.trim().split("\n");
  return { said: lines.slice(0, -1).join("\n"), projectId: lines.at(-1) ?? "" };
};
