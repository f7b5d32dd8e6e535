import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startClickHouseBridge } from "../../support/clickhouse-bridge.ts";
import type { Output } from "./as-documented-user.ts";
import { guideUser } from "./documented-commands.ts";
import { createTable, insertRuns, SKIPPED } from "./runs.ts";
import { PROJECT } from "./scope.ts";

/**
 * The user that the guide creates. The engine as a library has only its own user, whose rights are set by a `config.xml`
 * in its working directory: it gets those of the guide.
 */

const { creation, grant } = guideUser();
const folder = mkdtempSync(join(tmpdir(), "waybill-clickhouse-rights-"));
const data = join(folder, "data");
let understood: readonly string[] | null = null;

beforeAll(async () => {
  const bridge = await startClickHouseBridge(data);
  if (bridge === null) return;
  createTable(bridge);
  insertRuns(bridge, PROJECT, 1000);
  bridge.engine.run("CREATE TABLE default.other AS default.runs");
  understood = [creation, grant].map((sql) =>
    String(bridge.engine.rows("SELECT formatQuerySingleLine({sql:String})", { sql })[0]),
  );
  await bridge.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(({ skip }) => {
  if (understood === null) skip(SKIPPED);
});

it("ClickHouse accepts the statements that create the user", () => {
  expect(understood).toEqual([creation, grant]);
});

it("the user may run all queries of Waybill, and nothing else", async () => {
  const readonly = /SETTINGS readonly = (\d)/.exec(creation)?.[1] ?? "";
  const started = join(folder, "restricted");
  mkdirSync(started);
  const users = join(started, "users.xml");
  writeFileSync(users, usersWith(readonly, grant.replace(/ TO \w+$/, "")));
  writeFileSync(join(started, "config.xml"), `<clickhouse><users_config>${users}</users_config></clickhouse>`);
  const script = join(import.meta.dirname, "as-documented-user.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, data], { cwd: started });
  const output: Output = JSON.parse(stdout);
  expect(output).toMatchObject({ grants: grant.replace(/\w+$/, "default"), readonly, hasClock: true, days: [1000] });
  expect(output.pages.reduce((sum, rows) => sum + rows, 0)).toBe(1000);
  expect(output.pageBytes).toBeGreaterThan(10_000);
  expect(output.otherTable).toBe("access_denied");
});

/** The engine as a library runs every query as `default`. */
const usersWith = (readonly: string, grant: string): string => `<clickhouse>
  <profiles><default><readonly>${readonly}</readonly></default></profiles>
  <users><default>
    <password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants><query>${grant}</query></grants>
  </default></users>
  <quotas><default/></quotas>
</clickhouse>`;
