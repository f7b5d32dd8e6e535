import { type ApiAccess, createExport, type ExportRequest, readStatus } from "../dev/api.ts";
import type { Child } from "./child.ts";
import { cpuMicros, type MemoryUse, readBytes, watchMemory } from "./processes.ts";

/** One export as the customer sees it, and what it cost the service. */
export interface ExportMeasure {
  /** From the request that creates the export until the first answer that says COMPLETED. */
  readonly ms: number;
  /** CPU time of the service's processes. */
  readonly cpuMicros: number;
  /** What the service read from files. */
  readonly readBytes: number;
  readonly memory: MemoryUse;
}

/** How often the status is asked while the bucket lacks the marker: an export that fails never writes it. */
const LOOK_EVERY_MS = 500;

/**
 * Runs one export, into an empty bucket, to its end and measures it. A look at the status costs the service about 4 ms
 * of CPU time, so it is asked in earnest only once the marker, which is written last, lies in the bucket.
 */
export const measureExport = async (
  api: ApiAccess,
  request: ExportRequest,
  processIds: readonly number[],
  bucket: Child,
): Promise<ExportMeasure> => {
  await bucket.ask({ kind: "clear" });
  const memory = watchMemory(processIds);
  const cpuBefore = cpuMicros(processIds);
  const readBefore = readBytes(processIds);
  const begun = performance.now();
  const succeeded = bucket.ask({ kind: "await_success" });
  const exportId = await createExport(api, request);
  for (;;) {
    await Promise.race([succeeded, new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS))]);
    const status = await readStatus(api, exportId);
    if (status === "COMPLETED") break;
    if (status !== "CREATED" && status !== "RUNNING") throw new Error(`the export ended as ${status}`);
  }
  const ms = performance.now() - begun;
  return {
    ms,
    cpuMicros: cpuMicros(processIds) - cpuBefore,
    readBytes: readBytes(processIds) - readBefore,
    memory: memory(),
  };
};
