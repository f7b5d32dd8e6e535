import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BucketAddress } from "./bucket-address.ts";
import { writePrivateFile } from "./private-file.ts";

/** Content of STATE_DIR/waybill.json: everything a client of the local service needs. */
export interface WaybillConfig {
  readonly url: string;
  readonly workspace_id: string;
  readonly api_key: string;
  readonly admin_key: string;
  readonly s3: BucketAddress;
}

/** The state directory that the environment names; an empty name counts as none. */
export const stateDirectory = (): string => process.env.STATE_DIR || ".dev";

const pathIn = (stateDir: string): string => join(stateDir, "waybill.json");

/** The configuration an earlier start left in the state directory; null when there was none. */
export const readConfig = (stateDir: string): WaybillConfig | null => {
  const path = pathIn(stateDir);
  // The file is written by writeConfig alone, so it has this shape.
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as WaybillConfig) : null;
};

export const writeConfig = (stateDir: string, config: WaybillConfig): void =>
  writePrivateFile(pathIn(stateDir), `${JSON.stringify(config, null, 2)}\n`);
