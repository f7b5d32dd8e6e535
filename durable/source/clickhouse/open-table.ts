import { type ClickHouseTable, openClickHouse } from "../../../src/clickhouse/client.ts";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { TableBinding, TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import type { Project } from "../../../src/domain/project/records.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import { fail, type Result } from "../../../src/domain/shared/result.ts";
import { readSettings } from "../../../src/settings.ts";
import type { Env } from "../../protocol/env.ts";
import { openPassword } from "../../secrets/vault.ts";

/** Tables of customers, opened with passwords that live in memory only. */

/** Whether the table can be read; answers before anything is kept. */
export async function checkTable(
  env: Env,
  source: TableSource,
  password: string,
): Promise<Result<null, SourceFailure>> {
  const table = openTable(env, source, password);
  return table.ok ? table.value.check() : table;
}

/** Opens the table that a project is bound to. */
export async function openBinding(
  env: Env,
  project: Pick<Project, "id" | "tenantId">,
  { source, envelope }: TableBinding,
): Promise<Result<ClickHouseTable, SourceFailure>> {
  const password = await openPassword(env, project, envelope);
  return password === null ? fail(sourceFailure("password_lost")) : openTable(env, source, password);
}

const openTable = (env: Env, source: TableSource, password: string): Result<ClickHouseTable, SourceFailure> =>
  openClickHouse(source, password, { allowLoopback: readSettings(env).allowLoopbackEndpoints });
