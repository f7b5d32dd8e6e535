import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DevFailure } from "./failure.ts";
import { writePrivateFile } from "./private-file.ts";

const MASTER_KEY_BYTES = 32;

/** The service's secrets in a state directory: the file that wrangler reads, and the admin key in it. */
export interface DevSecrets {
  readonly envFile: string;
  readonly adminKey: string;
}

/** Creates the secrets on the first start and keeps them: sealed credentials in the state need the same keys. */
export const secretsOf = (stateDir: string): DevSecrets => {
  const envFile = join(stateDir, "secrets.env");
  if (!existsSync(envFile)) {
    const adminKey = randomBytes(MASTER_KEY_BYTES).toString("base64url");
    const masterKey = randomBytes(MASTER_KEY_BYTES).toString("base64");
    writePrivateFile(envFile, `ADMIN_KEY="${adminKey}"\nMASTER_KEYS="dev:${masterKey}"\n`);
  }
  const adminKey = /^ADMIN_KEY="([^"]+)"$/m.exec(readFileSync(envFile, "utf8"))?.[1];
  if (adminKey === undefined) {
    throw new DevFailure(
      `${envFile} is damaged: it contains no ADMIN_KEY. Restore it from a copy, or choose another state directory with STATE_DIR=.dev2: credentials in this one open with the old keys only.`,
    );
  }
  return { envFile, adminKey };
};
