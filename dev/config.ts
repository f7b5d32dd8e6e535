import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../src/json/is-object.ts";
import type { BucketAddress } from "./bucket-address.ts";
import { DevFailure } from "./failure.ts";
import { writePrivateFile } from "./private-file.ts";

/** Content of STATE_DIR/waybill.json: address and keys of the local service and its bucket. */
export interface WaybillConfig {
  readonly url: string;
  readonly workspace_id: string;
  readonly api_key: string;
  readonly admin_key: string;
  readonly s3: BucketAddress;
}

/** The state directory: the environment variable STATE_DIR, or `.dev` if it is absent or empty. */
export const stateDirectory = (): string => process.env.STATE_DIR || ".dev";

const pathIn = (stateDir: string): string => join(stateDir, "waybill.json");

/**
 * The configuration an earlier start left in the state directory; null when there was none. Throws a DevFailure when the
 * file is damaged: a new workspace in its place would hide the runs of the old one.
 */
export const readConfig = (stateDir: string): WaybillConfig | null => {
  const path = pathIn(stateDir);
  if (!existsSync(path)) return null;
  const config = parsed(readFileSync(path, "utf8"));
  if (isConfig(config)) return config;
  throw new DevFailure(
    `${path} is damaged. Restore it from a copy, or remove it: the next start then makes a new workspace. The runs of the old workspace stay in ${stateDir}; only its own key opens them.`,
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Members that only the file knows. The others follow from the address and are written at each start. */
const isConfig = (value: unknown): value is WaybillConfig =>
  isObject(value) &&
  ["url", "workspace_id", "api_key"].every((name) => typeof value[name] === "string") &&
  isObject(value.s3);

export const writeConfig = (stateDir: string, config: WaybillConfig): void =>
  writePrivateFile(pathIn(stateDir), `${JSON.stringify(config, null, 2)}\n`);
