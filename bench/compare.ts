import { statSync } from "node:fs";
import { join } from "node:path";
import type { ApiAccess, ExportRequest } from "../dev/api.ts";
import type { Child } from "./child.ts";
import { CHOICE_NAMES, CHOICES, type Choice, type ChoiceName, perChoice } from "./choices.ts";
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
  /** Reads its own table. */
  readonly duckdb: Child;
  /** Reads a Parquet file, compressed with zstd. */
  readonly duckdbFiles: Child;
  /** null: not installed. */
  readonly clickHouse: Child | null;
  readonly folder: string;
}

/** Measurements of one contender over all rounds of one choice. */
export interface Series {
  readonly ms: readonly number[];
  /** Maximum over all rounds. */
  readonly memory: MemoryUse;
  readonly bytes: number;
}

export type Choices<Value> = Readonly<Record<ChoiceName, Value>>;

export interface WaybillSeries extends Series {
  readonly cpuMicros: number;
  /** Bytes that the service read from files, which include its segments here. */
  readonly readBytes: number;
}

export interface Compared {
  readonly waybill: Choices<WaybillSeries>;
  readonly duckdb: Choices<Series>;
  readonly duckdbFiles: Choices<Series>;
  readonly clickHouse: Choices<Series> | null;
}

/** Measures the contenders alternately, so that a temporarily slow machine affects all of them. */
export const compare = async (contest: Contest): Promise<Compared> => {
  const waybill = perChoice((): Turn[] => []);
  const duckdb = perChoice((): Turn[] => []);
  const duckdbFiles = perChoice((): Turn[] => []);
  const clickHouse = perChoice((): Turn[] => []);
  for (let round = 0; round < contest.rounds; round++) {
    for (const name of CHOICE_NAMES) {
      const choice = CHOICES[name];
      waybill[name].push(await waybillTurn(contest, choice));
      duckdb[name].push(await peerTurn(contest, contest.duckdb, "duckdb", choice));
      duckdbFiles[name].push(await peerTurn(contest, contest.duckdbFiles, "duckdb-files", choice));
      if (contest.clickHouse) clickHouse[name].push(await peerTurn(contest, contest.clickHouse, "clickhouse", choice));
    }
  }
  return {
    waybill: perChoice((name) => waybillSeries(waybill[name])),
    duckdb: perChoice((name) => series(duckdb[name])),
    duckdbFiles: perChoice((name) => series(duckdbFiles[name])),
    clickHouse: contest.clickHouse && perChoice((name) => series(clickHouse[name])),
  };
};

interface Turn extends ExportMeasure {
  readonly bytes: number;
}

const waybillTurn = async (contest: Contest, { fields, filter }: Choice): Promise<Turn> => {
  const { api, request, service, bucket } = contest;
  const chosen = { ...request, export_fields: fields, filter: filter?.expression ?? null };
  const measured = await measureExport(api, chosen, service, bucket);
  return { ...measured, bytes: await bucket.ask<number>({ kind: "size" }) };
};

const peerTurn = async (contest: Contest, peer: Child, name: string, choice: Choice): Promise<Turn> => {
  const target = join(contest.folder, `${name}.parquet`);
  const memory = watchMemory([peer.processId]);
  const { ms } = await peer.ask<PeerExport>({
    kind: "export",
    columns: choice.fields,
    where: choice.filter?.where ?? null,
    target,
  });
  return { ms, cpuMicros: 0, readBytes: 0, memory: memory(), bytes: statSync(target).size };
};

const waybillSeries = (turns: readonly Turn[]): WaybillSeries => ({
  ...series(turns),
  cpuMicros: mean(turns.map((turn) => turn.cpuMicros)),
  readBytes: median(turns.map((turn) => turn.readBytes)),
});

const series = (turns: readonly Turn[]): Series => ({
  ms: turns.map((turn) => turn.ms),
  memory: {
    peakMb: Math.max(...turns.map((turn) => turn.memory.peakMb)),
    growthMb: Math.max(...turns.map((turn) => turn.memory.growthMb)),
  },
  bytes: median(turns.map((turn) => turn.bytes)),
});

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
