import { createHash } from "node:crypto";
import { DAY_MS, isoFromMs, startOfDay } from "../../../src/domain/shared/time.ts";

/** Midnight of the first of the two days that have runs. */
export const FIRST_DAY = startOfDay("2026-08-30");

/** Bodies of POST /runs/batch: a day of a file in two parts of 5 MiB and one of a single PUT, and a day of one small file. */
export const noisyBatches = (project: string): readonly string[] => [
  batch([noisyRun(project, 1, FIRST_DAY, 3), noisyRun(project, 2, FIRST_DAY, 3)]),
  batch([noisyRun(project, 3, FIRST_DAY, 1)]),
  batch([4, 5, 6].map((number) => noisyRun(project, number, FIRST_DAY + DAY_MS, 0.01))),
];

const batch = (runs: readonly object[]): string => JSON.stringify({ post: runs, patch: [] });

/** A run whose inputs take about `megabytes` MB, also when compressed; the same for every call. */
const noisyRun = (project: string, number: number, day: number, megabytes: number) => {
  const id = `018f0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
  const start = day + number * 60_000;
  return {
    id,
    trace_id: id,
    dotted_order: `${isoFromMs(start).replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`,
    session_name: project,
    name: `run ${number}`,
    run_type: "chain",
    start_time: isoFromMs(start),
    end_time: isoFromMs(start + 1000),
    inputs: { text: noise(number, megabytes * 1_000_000) },
    outputs: { ok: true },
  };
};

/** Base64 of bytes that do not compress. zstd removes the overhead of base64, a quarter of its length. */
const noise = (seed: number, bytes: number): string => {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes; at += 64) blocks.push(createHash("sha512").update(`${seed}/${at}`).digest());
  return Buffer.concat(blocks).subarray(0, bytes).toString("base64");
};
