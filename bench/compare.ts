import { statSync } from "node:fs";
import { join } from "node:path";
import type { ApiAccess, ExportRequest } from "../dev/api.ts";
import { EXPORT_FIELDS } from "../src/domain/fields.ts";
import type { Child } from "./child.ts";
import { type ExportMeasure, measureExport } from "./export.ts";
import { median } from "./measures.ts";
import type { PeerExport } from "./peer.ts";
import { type MemoryUse, watchMemory } from "./processes.ts";

export interface Contest {
  readonly rounds: number;
  readonly api: ApiAccess;
  readonly request: ExportRequest;
  /** Process ids of the service. */
  readonly service: readonly number[];
  readonly bucket: Child;
  readonly duckdb: Child;
  /** null: not installed. */
  readonly clickHouse: Child | null;
  readonly folder: string;
}

/** What one contender did in all rounds with one choice of columns. */
export interface Series {
  readonly ms: readonly number[];
  /** The greatest of all rounds. */
  readonly memory: MemoryUse;
  readonly bytes: number;
}

/** All columns, and all but inputs and outputs. */
export interface Choices<Value> {
  readonly whole: Value;
  readonly slim: Value;
}

export interface Compared {
  readonly waybill: Choices<Series & { readonly cpuMicros: number }>;
  readonly duckdb: Choices<Series>;
  readonly clickHouse: Choices<Series> | null;
}

const SLIM_FIELDS = EXPORT_FIELDS.filter((field) => field !== "inputs" && field !== "outputs");

/**
 * Lets the contenders export in turns, round after round, so that what slows the machine for a while slows all. The
 * whole export comes last in a round: its files are the ones left in the bucket.
 */
export const compare = async (contest: Contest): Promise<Compared> => {
  const waybill = { whole: [] as Turn[], slim: [] as Turn[] };
  const duckdb = { whole: [] as Turn[], slim: [] as Turn[] };
  const clickHouse = { whole: [] as Turn[], slim: [] as Turn[] };
  for (let round = 0; round < contest.rounds; round++) {
    for (const choice of ["slim", "whole"] as const) {
      const fields = choice === "whole" ? EXPORT_FIELDS : SLIM_FIELDS;
      waybill[choice].push(await waybillTurn(contest, fields));
      duckdb[choice].push(await peerTurn(contest, contest.duckdb, "duckdb", fields));
      if (contest.clickHouse)
        clickHouse[choice].push(await peerTurn(contest, contest.clickHouse, "clickhouse", fields));
    }
  }
  const both = <Value>(turns: Choices<Turn[]>, fold: (turns: readonly Turn[]) => Value): Choices<Value> => ({
    whole: fold(turns.whole),
    slim: fold(turns.slim),
  });
  return {
    waybill: both(waybill, (turns) => ({ ...series(turns), cpuMicros: mean(turns.map((turn) => turn.cpuMicros)) })),
    duckdb: both(duckdb, series),
    clickHouse: contest.clickHouse && both(clickHouse, series),
  };
};

interface Turn extends ExportMeasure {
  readonly bytes: number;
}

const waybillTurn = async (contest: Contest, fields: readonly string[]): Promise<Turn> => {
  const { api, request, service, bucket } = contest;
  const measured = await measureExport(api, { ...request, export_fields: fields }, service, bucket);
  return { ...measured, bytes: await bucket.ask<number>({ kind: "size" }) };
};

const peerTurn = async (contest: Contest, peer: Child, name: string, columns: readonly string[]): Promise<Turn> => {
  const target = join(contest.folder, `${name}.parquet`);
  const memory = watchMemory([peer.processId]);
  const { ms } = await peer.ask<PeerExport>({ kind: "export", columns, target });
  return { ms, cpuMicros: 0, memory: memory(), bytes: statSync(target).size };
};

const series = (turns: readonly Turn[]): Series => ({
  ms: turns.map((turn) => turn.ms),
  memory: {
    peakMb: Math.max(...turns.map((turn) => turn.memory.peakMb)),
    growthMb: Math.max(...turns.map((turn) => turn.memory.growthMb)),
  },
  bytes: median(turns.map((turn) => turn.bytes)),
});

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
