import { gunzipSync } from "node:zlib";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { MAX_FILES, MAX_PATH_CHARACTERS, MAX_UNPACKED_BYTES } from "./limits.ts";
import { readTar, type TarFile } from "./tar.ts";

/** Modules of an agent server, as the Worker Loader takes them and as JSON stores them. `wasm` is base64. */
export interface AgentBundle {
  readonly mainModule: string;
  readonly modules: Readonly<Record<string, AgentModule>>;
}

export interface AgentModule {
  readonly kind: "js" | "cjs" | "json" | "text" | "wasm";
  readonly content: string;
}

/** Kinds of modules that the Worker Loader can load, by file extension. */
const KINDS: ReadonlyMap<string, AgentModule["kind"]> = new Map([
  ["js", "js"],
  ["mjs", "js"],
  ["cjs", "cjs"],
  ["json", "json"],
  ["txt", "text"],
  ["md", "text"],
  ["html", "text"],
  ["wasm", "wasm"],
]);

/** Bundlers write it next to a module (wrangler always does); no module imports it. */
const SOURCE_MAP = /\.map$/;

/**
 * Reads an agent server from a .tar.gz. The archive has a configuration file in JSON, whose member `main` is the path of
 * the Worker module relative to it, and that module with all its imports. A failure says what to change.
 */
export function bundleOf(tarball: Uint8Array, configPath: string): Result<AgentBundle, string> {
  const archive = decompress(tarball);
  if (!archive.ok) return archive;
  const files = readTar(archive.value, { files: MAX_FILES, pathCharacters: MAX_PATH_CHARACTERS });
  if (!files.ok) return files;
  const mainModule = mainModuleOf(files.value, configPath);
  if (!mainModule.ok) return mainModule;
  const modules: Record<string, AgentModule> = {};
  for (const file of files.value) {
    if (SOURCE_MAP.test(file.path)) continue;
    const one = moduleOf(file);
    if (!one.ok) return one;
    modules[file.path] = one.value;
  }
  return ok({ mainModule: mainModule.value, modules });
}

/** `maxOutputLength` stops a decompression bomb early. */
function decompress(tarball: Uint8Array): Result<Uint8Array, string> {
  try {
    return ok(gunzipSync(tarball, { maxOutputLength: MAX_UNPACKED_BYTES }));
  } catch (error) {
    const isBomb = error instanceof RangeError || String(error).includes("ERR_BUFFER_TOO_LARGE");
    if (isBomb) return fail(`The source has more than ${MAX_UNPACKED_BYTES} bytes when it is unpacked.`);
    return fail("The source is not a gzip file, or is damaged; send a .tar.gz.");
  }
}

function mainModuleOf(files: readonly TarFile[], configPath: string): Result<string, string> {
  const path = configPath.replace(/^(?:\.\/)+/, "");
  const config = files.find((file) => file.path === path);
  if (config === undefined) return fail(`The source has no file ${JSON.stringify(path)} (langgraph_config_path).`);
  const main = mainMemberOf(new TextDecoder().decode(config.bytes));
  if (main === null) return fail(`${path} must be a JSON object whose member "main" names the Worker module.`);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const name = `${folder}${main.replace(/^(?:\.\/)+/, "")}`;
  if (!files.some((file) => file.path === name))
    return fail(`The source has no file ${JSON.stringify(name)} ("main").`);
  if (!/\.m?js$/.test(name)) return fail(`The main module ${JSON.stringify(name)} must be a .js or .mjs file.`);
  return ok(name);
}

function mainMemberOf(json: string): string | null {
  try {
    const config: unknown = JSON.parse(json);
    const isObject = typeof config === "object" && config !== null && "main" in config;
    return isObject && typeof config.main === "string" ? config.main : null;
  } catch {
    return null;
  }
}

function moduleOf({ path, bytes }: TarFile): Result<AgentModule, string> {
  const kind = KINDS.get(/\.([a-z]+)$/.exec(path)?.[1] ?? "");
  if (kind === undefined) {
    const known = [...KINDS.keys()].join(", ");
    return fail(`${JSON.stringify(path)} is of a kind that cannot be loaded; the kinds are: ${known}.`);
  }
  if (kind === "wasm") return ok({ kind, content: Buffer.from(bytes).toString("base64") });
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    if (kind === "json") JSON.parse(content);
    return ok({ kind, content });
  } catch {
    return fail(`${JSON.stringify(path)} is not valid ${kind === "json" ? "JSON" : "UTF-8 text"}.`);
  }
}
