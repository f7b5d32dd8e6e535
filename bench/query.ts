import type { ApiAccess } from "../dev/api.ts";
import type { Child } from "./child.ts";
import { CHOICES } from "./choices.ts";
import type { PeerQuery } from "./peer.ts";

/** The query of all contenders: the newest failed runs, with the columns that a list of runs shows. */
const COLUMNS = ["id", "name", "run_type", "status", "start_time", "end_time", "error", "inputs", "outputs"] as const;
const { expression, where } = CHOICES.failed.filter;

/** Maximum page size of the original service (src/http/runs/query-schemas.ts). */
const LIMIT = 100;

/** More rounds than for exports, because a query takes only milliseconds. */
const ROUNDS = 30;

/** Milliseconds of each round. */
export interface QuerySeries {
  readonly waybill: readonly number[];
  readonly duckdb: readonly number[];
  readonly clickHouse: readonly number[] | null;
}

export interface QueryContest {
  readonly api: ApiAccess;
  readonly projectId: string;
  readonly duckdb: Child;
  readonly clickHouse: Child | null;
}

/** Measures the first page of the query, alternating. Throws if the contenders do not return the same runs. */
export const compareQueries = async ({ api, projectId, duckdb, clickHouse }: QueryContest): Promise<QuerySeries> => {
  const contenders = { waybill: () => askWaybill(api, projectId), duckdb: () => askPeer(duckdb) };
  const third = clickHouse && (() => askPeer(clickHouse));
  const series = { waybill: [] as number[], duckdb: [] as number[], clickHouse: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const waybill = await contenders.waybill();
    const answers = { waybill, duckdb: await contenders.duckdb(), clickHouse: third ? await third() : waybill };
    for (const name of ["waybill", "duckdb", "clickHouse"] as const) {
      series[name].push(answers[name].ms);
      if (answers[name].ids.join() !== waybill.ids.join()) throw new Error(`${name} found other runs than Waybill`);
    }
  }
  return { ...series, clickHouse: clickHouse && series.clickHouse };
};

const askWaybill = async (api: ApiAccess, projectId: string): Promise<PeerQuery> => {
  const begun = performance.now();
  const answer = await fetch(`${api.url}/runs/query`, {
    method: "POST",
    headers: { "X-API-Key": api.api_key, "Content-Type": "application/json" },
    body: JSON.stringify({ session: [projectId], filter: expression, limit: LIMIT, select: COLUMNS }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`a query was answered with ${answer.status}: ${text}`);
  // ListRunsResponse.
  const { runs } = JSON.parse(text) as { readonly runs: readonly { readonly id: string }[] };
  return { ms: performance.now() - begun, ids: runs.map(({ id }) => id) };
};

const askPeer = (peer: Child): Promise<PeerQuery> =>
  peer.ask<PeerQuery>({ kind: "query", columns: COLUMNS, where, limit: LIMIT });
