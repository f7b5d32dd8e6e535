import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClickHouseBridge } from "../../support/clickhouse-bridge.ts";

/** Runs generated inside ClickHouse, in the documented table. */

export const SKIPPED = "chdb is not installed; `npm install --prefix bench` installs it";

/** `2026-09-01`; the runs start at its midnight, a tenth of a second apart. */
export const DAY = "2026-09-01";
export const DAY_START = Date.parse(`${DAY}T00:00:00Z`);

const CREATE_TABLE = readFileSync(join(import.meta.dirname, "../../../examples/clickhouse/create-table.sql"), "utf8");

export const createTable = ({ engine }: ClickHouseBridge): void => {
  engine.run("DROP TABLE IF EXISTS default.runs");
  engine.run(CREATE_TABLE);
};

/** Adds `count` runs of a project; `inputs` is an SQL expression for their JSON, in which `number` is the run's number. */
export const insertRuns = (
  { engine }: ClickHouseBridge,
  project: string,
  count: number,
  { inputs = `'{"q":"what"}'`, first = 0 }: { readonly inputs?: string; readonly first?: number } = {},
): void => {
  engine.run(`INSERT INTO default.runs (id, session_id, trace_id, parent_run_id, parent_run_ids, name, run_type,
      start_time, end_time, status, dotted_order, trace_tier, inputs, outputs, error, extra, tags, total_tokens,
      total_cost)
    SELECT UUIDNumToString(MD5(toString(number))), '${project}', UUIDNumToString(MD5(toString(intDiv(number, 4)))),
      if(number % 4 = 0, NULL, UUIDNumToString(MD5(toString(number - number % 4)))),
      if(number % 4 = 0, [], [UUIDNumToString(MD5(toString(number - number % 4)))]),
      concat('run ', toString(number % 7)), if(number % 2, 'llm', 'chain'),
      addMilliseconds(toDateTime64('${DAY} 00:00:00', 6, 'UTC'), intDiv(number, 2) * 150),
      if(number % 3, addSeconds(toDateTime64('${DAY} 00:00:01', 6, 'UTC'), number / 10), NULL),
      if(number % 50, 'success', 'error'), concat('d', toString(number)), 'shortlived',
      ${inputs}, if(number % 5, '{"a":[1,2.50]}', NULL), if(number % 50, NULL, 'boom'),
      '{"metadata":{"k":"v"}}', multiIf(number % 6 = 0, ['a', 'b/"c"'], number % 6 = 1, ['ä'], []),
      if(number % 2, number % 1000, NULL), if(number % 2, number / 8, NULL)
    FROM numbers(${first}, ${count})`);
};
