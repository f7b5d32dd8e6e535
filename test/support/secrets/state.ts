import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { localBucket } from "../../../dev/bucket-address.ts";
import { keepSecret, search } from "./leaks.ts";

/** The state directory of a service on this machine. */

/** Makes known what was made for it: the administrator's key, the master key, the key of its bucket. */
export const keepSecretsOf = (stateDir: string): void => {
  const file = join(stateDir, "secrets.env");
  if (!existsSync(file)) return; // it was refused before it began
  const secrets = [...readFileSync(file, "utf8").matchAll(/="(?:\w+:)?([^"]+)"$/gm)].map(([, secret = ""]) => secret);
  keepSecret(...secrets, localBucket("").secret_access_key);
};

/** Searches what it has logged, and every file of its actors and buckets. Not those that are made to hold secrets. */
export const searchState = (stateDir: string): void => {
  keepSecretsOf(stateDir);
  for (const name of filesBelow(stateDir).filter((one) => one === "wrangler.log" || one.startsWith("state/")))
    search(readFileSync(join(stateDir, name), "latin1"), name);
};

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());
