import { type ApiAccess, createExport, type ExportRequest, readStatus } from "../dev/api.ts";
import type { Child } from "./child.ts";
import { cpuMicros, type MemoryUse, readBytes, watchMemory } from "./processes.ts";

/** Duration of one export for the customer, and its cost for the service. */
export interface ExportMeasure {
  /** From the request that creates the export to the first answer with the status COMPLETED. */
  readonly ms: number;
  /** CPU time of the service's processes. */
  readonly cpuMicros: number;
  /** Bytes that the service read from files. */
  readonly readBytes: number;
  readonly memory: MemoryUse;
}

/** Poll interval while _SUCCESS is not in the bucket; a failed export never writes it. */
const POLL_INTERVAL_MS = 500;

/**
 * Runs one export into an empty bucket and measures it. Reading the status costs the service about 4 ms of CPU time, so
 * it is read when _SUCCESS, which is written last, is in the bucket.
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
    await Promise.race([succeeded, new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS))]);
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
