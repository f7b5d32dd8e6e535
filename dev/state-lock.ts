import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DevFailure } from "./failure.ts";

/**
 * Locks the state directory for this process, because two services would corrupt it. Returns the function that unlocks
 * it. Throws a DevFailure if another process holds the lock.
 */
export const lockState = (stateDir: string): (() => void) => {
  const path = join(stateDir, "lock");
  const holder = holderOf(path);
  if (holder !== null) {
    throw new DevFailure(
      `${stateDir} is in use by process ${holder}. Stop it, or choose another with STATE_DIR=.dev2. If that process is not Waybill, remove ${path}.`,
    );
  }
  writeFileSync(path, String(process.pid));
  return () => rmSync(path, { force: true });
};

const holderOf = (path: string): number | null => {
  try {
    const processId = Number(readFileSync(path, "utf8"));
    if (processId === process.pid || !Number.isInteger(processId) || processId <= 0) return null;
    process.kill(processId, 0);
    return processId;
  } catch {
    // There is no lock, or its holder has ended.
    return null;
  }
};
