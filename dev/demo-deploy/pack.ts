import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { wranglerCli } from "../wrangler.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/agent");
const CONFIG = "waybill.json";
const run = promisify(execFile);

/** Bundles the example and its imports into one module and packs it as a .tar.gz. */
export const packExample = async (folder: string): Promise<Uint8Array<ArrayBuffer>> => {
  const built = join(folder, "built");
  const options = ["--dry-run", `--outdir=${built}`, "--name=agent", "--compatibility-date=2026-11-01"];
  const config = join(folder, "wrangler.toml");
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, 'compatibility_flags = ["nodejs_compat"]\n');
  const entry = join(EXAMPLE, "server.ts");
  await run(process.execPath, [wranglerCli(), "deploy", entry, ...options, `--config=${config}`], { env: QUIET });
  return pack(join(folder, "example"), readFileSync(join(built, "server.js"), "utf8"));
};

/** Packs a source with this server code as a .tar.gz. */
export const pack = async (folder: string, server: string): Promise<Uint8Array<ArrayBuffer>> => {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(EXAMPLE, CONFIG), join(folder, CONFIG));
  writeFileSync(join(folder, "server.js"), server);
  const tarball = `${folder}.tar.gz`;
  await run("tar", ["-czf", tarball, "-C", folder, CONFIG, "server.js"]);
  return Uint8Array.from(readFileSync(tarball));
};

/** Disables wrangler's questions, reports and requests to the internet. */
const QUIET = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
