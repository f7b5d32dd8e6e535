import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningWaybill, startWaybill } from "./start.ts";

/** Exit code of a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/**
 * Starts a service in a temporary folder, calls `use`, and stops the service. Deletes its state, which contains secrets.
 * Other files in the folder are kept if `keepsFiles` is set and `use` was not interrupted.
 */
export const withTemporaryWaybill = async (
  { name, keepsFiles }: { readonly name: string; readonly keepsFiles: boolean },
  use: (waybill: RunningWaybill, folder: string) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const stateDir = join(folder, "state");
  const interrupted = new Promise<"interrupted">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve("interrupted"));
  });
  const starting = startWaybill({ port: null, stateDir, settings: {} });
  const using = starting.then((waybill) => use(waybill, folder));
  using.catch(() => {}); // reported by the race below unless interrupted
  let isInterrupted = false;
  try {
    isInterrupted = (await Promise.race([interrupted, using])) === "interrupted";
  } finally {
    await starting.then((waybill) => waybill.stop()).catch(() => {}); // a service that failed to start has already stopped
    rmSync(keepsFiles && !isInterrupted ? stateDir : folder, { recursive: true, force: true });
  }
  if (isInterrupted) process.exit(INTERRUPTED); // `use` is still waiting for the stopped service
};
