import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second (USER_HZ). */
const MICROS_PER_TICK = 10_000;

/** Child processes of a process that run a program, given by its name in Linux (at most 15 characters). */
export const childrenOf = (parentId: number, program: string): number[] =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((processId) => {
      const stat = statOf(processId);
      return stat !== null && stat.parent === parentId && stat.program === program;
    });

/** CPU time (user and system) that the processes have used so far, in microseconds. */
export const cpuMicros = (processIds: readonly number[]): number =>
  processIds.reduce((sum, processId) => sum + (statOf(processId)?.ticks ?? 0), 0) * MICROS_PER_TICK;

/** Bytes that the processes have read so far from files and connections (proc(5), rchar). */
export const readBytes = (processIds: readonly number[]): number =>
  processIds.reduce((sum, processId) => {
    const counted = /^rchar: (\d+)$/m.exec(readFileSync(`/proc/${processId}/io`, "utf8"))?.[1];
    return sum + Number(counted ?? 0);
  }, 0);

/** Resident memory of processes during a measurement, in 10^6 bytes. */
export interface MemoryUse {
  readonly peakMb: number;
  /** Peak minus the resident memory at the start. */
  readonly growthMb: number;
}

/** Resets the peak memory of a process in the kernel (proc(5), clear_refs). */
const RESET_PEAK = "5";

/**
 * Starts to measure the resident memory of processes. The returned function ends the measurement. The kernel records the
 * peak (VmHWM), so no sampling is needed.
 */
export const watchMemory = (processIds: readonly number[]): (() => MemoryUse) => {
  for (const processId of processIds) writeFileSync(`/proc/${processId}/clear_refs`, RESET_PEAK);
  const total = (name: string): number =>
    processIds.reduce((sum, processId) => sum + statusBytes(processId, name), 0) / 1e6;
  const before = total("VmRSS");
  return () => ({ peakMb: total("VmHWM"), growthMb: Math.max(0, total("VmHWM") - before) });
};

const statusBytes = (processId: number, name: string): number => {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(
    readFileSync(`/proc/${processId}/status`, "utf8"),
  )?.[1];
  return Number(kibibytes ?? 0) * 1024;
};

/** proc(5): the program's name is in parentheses and may contain any character, so fields are counted after the last one. */
const statOf = (processId: number): { program: string; parent: number; ticks: number } | null => {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, "utf8");
    const close = text.lastIndexOf(")");
    const fields = text.slice(close + 2).split(" ");
    return {
      program: text.slice(text.indexOf("(") + 1, close),
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    // The process has ended.
    return null;
  }
};
