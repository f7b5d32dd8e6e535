import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DevFailure } from "./failure.ts";

/** Two services on one state directory would corrupt it. Takes it for this process; the answer gives it back. */
export const lockState = (stateDir: string): (() => void) => {
  const path = join(stateDir, "lock");
  const holder = holderOf(path);
  if (holder !== null) {
    throw new DevFailure(
      `${stateDir} is in use by process ${holder}. Stop it, or choose another with STATE_DIR=.dev2. If that process is no Waybill, remove ${path}.`,
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
    // No lock, or its holder is gone.
    return null;
  }
};
