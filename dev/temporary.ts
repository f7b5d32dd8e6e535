import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningWaybill, startWaybill } from "./start.ts";

/** What a shell shows for a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Starts a service of its own in a temporary folder, and ends it when `use` is done, however that comes out. Its state
 * goes with it, and so do the secrets in there; what else lies in the folder stays if `keepsFiles`, unless `use` was
 * interrupted.
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
  using.catch(() => {}); // told below, if nothing was interrupted
  let isInterrupted = false;
  try {
    isInterrupted = (await Promise.race([interrupted, using])) === "interrupted";
  } finally {
    await starting.then((waybill) => waybill.stop()).catch(() => {}); // one that did not start has ended itself
    rmSync(keepsFiles && !isInterrupted ? stateDir : folder, { recursive: true, force: true });
  }
  if (isInterrupted) process.exit(INTERRUPTED); // `use` waits for a service that is gone
};
