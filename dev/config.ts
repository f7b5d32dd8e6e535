import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BucketAddress } from "./bucket-address.ts";
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

/** The configuration that an earlier start wrote into the state directory; null: there is none. */
export const readConfig = (stateDir: string): WaybillConfig | null => {
  const path = pathIn(stateDir);
  // Only writeConfig writes the file, so it has this shape.
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as WaybillConfig) : null;
};

export const writeConfig = (stateDir: string, config: WaybillConfig): void =>
  writePrivateFile(pathIn(stateDir), `${JSON.stringify(config, null, 2)}\n`);
