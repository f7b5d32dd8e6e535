import { randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";

const OWNER_ONLY = 0o600;

/** Writes a file that only its owner may read. A reader sees the old text or the new one, never a part. */
export const writePrivateFile = (path: string, text: string): void => {
  const half = `${path}.${randomUUID()}`;
  writeFileSync(half, text, { mode: OWNER_ONLY });
  renameSync(half, path);
};
