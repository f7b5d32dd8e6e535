import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "./private-file.ts";

const MASTER_KEY_BYTES = 32;

/** The service's secrets of one state directory: the file wrangler reads them from, and the admin key among them. */
export interface DevSecrets {
  readonly envFile: string;
  readonly adminKey: string;
}

/** Makes the secrets on the first start and keeps them: sealed credentials in the state open with no other keys. */
export const secretsOf = (stateDir: string): DevSecrets => {
  const envFile = join(stateDir, "secrets.env");
  if (!existsSync(envFile)) {
    const adminKey = randomBytes(MASTER_KEY_BYTES).toString("base64url");
    const masterKey = randomBytes(MASTER_KEY_BYTES).toString("base64");
    writePrivateFile(envFile, `ADMIN_KEY="${adminKey}"\nMASTER_KEYS="dev:${masterKey}"\n`);
  }
  const adminKey = /^ADMIN_KEY="([^"]+)"$/m.exec(readFileSync(envFile, "utf8"))?.[1];
  if (adminKey === undefined) throw new Error(`${envFile} holds no ADMIN_KEY`);
  return { envFile, adminKey };
};
