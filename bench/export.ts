import { type ApiAccess, createExport, type ExportRequest, readStatus } from "../dev/api.ts";
import { cpuMicros, type MemoryUse, watchMemory } from "./processes.ts";

/** One export as the customer sees it, and what it cost the service. */
export interface ExportMeasure {
  /** From the request that creates the export until the first answer that says COMPLETED. */
  readonly ms: number;
  /** CPU time of the service's processes. */
  readonly cpuMicros: number;
  readonly memory: MemoryUse;
}

/** A look costs the service about 4 ms of CPU time: finer ones would slow down what they watch. */
const LOOK_EVERY_MS = 20;

/** Runs one export to its end and measures it. */
export const measureExport = async (
  api: ApiAccess,
  request: ExportRequest,
  processIds: readonly number[],
): Promise<ExportMeasure> => {
  const memory = watchMemory(processIds);
  const cpuBefore = cpuMicros(processIds);
  const begun = performance.now();
  const exportId = await createExport(api, request);
  for (;;) {
    const status = await readStatus(api, exportId);
    if (status === "COMPLETED") break;
    if (status !== "CREATED" && status !== "RUNNING") throw new Error(`the export ended as ${status}`);
    await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
  }
  const ms = performance.now() - begun;
  return { ms, cpuMicros: cpuMicros(processIds) - cpuBefore, memory: memory() };
};
