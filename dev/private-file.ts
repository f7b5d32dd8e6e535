import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

const OWNER_ONLY = 0o600;

/** Writes a file that only its owner may read. The file is replaced atomically. */
export const writePrivateFile = (path: string, text: string): void => {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { mode: OWNER_ONLY });
    renameSync(temporary, path);
  } catch (failure) {
    rmSync(temporary, { force: true });
    throw failure;
  }
};
