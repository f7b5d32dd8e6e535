import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { localBucket } from "../../../dev/bucket-address.ts";
import { addSecrets, search } from "./leaks.ts";

/** The state directory of a service on this machine. */

/** Adds the secrets of a service: the admin key, the master key, and the key of its bucket. */
export const addSecretsOf = (stateDir: string): void => {
  const file = join(stateDir, "secrets.env");
  if (!existsSync(file)) return; // the start was refused
  const secrets = [...readFileSync(file, "utf8").matchAll(/="(?:\w+:)?([^"]+)"$/gm)].map(([, secret = ""]) => secret);
  addSecrets(...secrets, localBucket("").secret_access_key);
};

/** Searches the log and all files of actors and buckets, but not the files that must contain secrets. */
export const searchState = (stateDir: string): void => {
  addSecretsOf(stateDir);
  for (const name of filesBelow(stateDir).filter((one) => one === "wrangler.log" || one.startsWith("state/")))
    search(readFileSync(join(stateDir, name), "latin1"), name);
};

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());
