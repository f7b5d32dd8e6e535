import { openClickHouse } from "../../../src/clickhouse/client.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import { startClickHouseBridge } from "../../support/clickhouse-bridge.ts";
import { dayOf, must, PROJECT } from "./scope.ts";

/**
 * A process in which the engine, started beside `config.xml`, has only the rights of the guide's user: runs all
 * queries of the adapter and prints the results. The argument is the engine's data folder.
 */

export interface Output {
  readonly grants: string;
  readonly readonly: string;
  readonly hasClock: boolean;
  readonly days: readonly number[];
  readonly pages: readonly number[];
  readonly pageBytes: number;
  readonly otherTable: string | null;
}

const bridge = await startClickHouseBridge(process.argv[2] ?? "");
if (bridge === null) throw new Error("chdb is not installed");

const open = (table: string) => {
  const { url, user, password } = bridge;
  const source = { url, database: "default", table, user, project: PROJECT, columns: {} };
  return must(openClickHouse(source, password, { allowLoopback: true }));
};

const table = open("runs");
must(await table.check());
const scope = dayOf(EXPORT_FIELDS);
const pages = must(await table.pages(scope, 100_000));
const [first] = pages;
if (first === undefined) throw new Error("the table has no page");
const other = await open("other").check();
const output: Output = {
  grants: bridge.engine.run("SHOW GRANTS", "TSV").trim(),
  readonly: bridge.engine.run("SELECT getSetting('readonly')", "TSV").trim(),
  hasClock: must(await table.now()) !== null,
  days: must(await table.days(scope)).map(({ rows }) => rows),
  pages: pages.map(({ rows }) => rows),
  pageBytes: must(await table.page(scope, first, async () => {})).length,
  otherTable: other.ok ? null : other.failure.reason,
};
process.stdout.write(JSON.stringify(output));
await bridge.close();
