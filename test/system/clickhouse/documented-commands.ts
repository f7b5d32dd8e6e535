import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { codeBlocks } from "../../architecture/documents.ts";
import { ROOT } from "../../architecture/source-files.ts";
import type { Laboratory } from "./laboratory.ts";

const GUIDE = "docs/guide/clickhouse.md";

/** The commands of the guide that bind a project to a table. */
export const guideCommands = (): string => {
  const commands = codeBlocks(GUIDE).find(({ language }) => language === "sh");
  if (commands === undefined) throw new Error(`${GUIDE} has no commands`);
  return commands.text;
};

/** The statements among them that create Waybill's user. */
export const guideUser = (): { readonly creation: string; readonly grant: string } => {
  const commands = guideCommands();
  const [, creation] = /"(CREATE USER [^"]*)"/.exec(commands) ?? [];
  const [, grant] = /"(GRANT [^"]*)"/.exec(commands) ?? [];
  if (creation === undefined || grant === undefined) throw new Error(`${GUIDE} makes no user of ClickHouse`);
  return { creation, grant };
};

/** Runs the commands; returns their output. */
export const followGuide = async ({
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
  const script = `set -eu\n${guideCommands()}\necho; echo "$PROJECT"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: ROOT, env });
  const lines = stdout.trim().split("\n");
  return { said: lines.slice(0, -1).join("\n"), projectId: lines.at(-1) ?? "" };
};
