import { join } from "node:path";
import { readSettings } from "../src/settings.ts";
import { DevFailure } from "./failure.ts";
import { writePrivateFile } from "./private-file.ts";

/** Settings of the service by their upper-case names, for example `{RETRY_DELAY_MS: "100"}`. */
export type Settings = Readonly<Record<string, string>>;

/** The local bucket listens on 127.0.0.1, which the service refuses by default. */
const LOCAL_DEFAULTS: Settings = { ALLOW_LOOPBACK_ENDPOINTS: "true" };
/** Only if this is true are `CREDENTIALS` meant for the service. Otherwise they belong to other programs of the shell. */
const CREDENTIALS_SWITCH = "ALLOW_ENVIRONMENT_CREDENTIALS";
const CREDENTIALS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/** The settings of the service in an environment such as process.env. */
export const settingsIn = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const presets = readSettings({});
  const names = [...Object.keys(presets.limits), ...Object.keys(presets)].map(settingName);
  const credentials = environment[CREDENTIALS_SWITCH] === "true" ? CREDENTIALS : [];
  const entries = [...names, CREDENTIALS_SWITCH, ...credentials].flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
};

/** Writes the settings and the defaults of local development to a file for wrangler and returns its path. */
export const writeSettings = (stateDir: string, settings: Settings): string => {
  const all = { ...LOCAL_DEFAULTS, ...settings };
  try {
    readSettings(all);
  } catch (refusal) {
    throw new DevFailure(refusal instanceof Error ? refusal.message : String(refusal));
  }
  const path = join(stateDir, "settings.env");
  const lines = Object.entries(all).map(([name, value]) => `${name}='${value}'\n`);
  writePrivateFile(path, lines.join(""));
  return path;
};

/** `retryDelayMs` -> `RETRY_DELAY_MS` */
const settingName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
