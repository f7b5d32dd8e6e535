import { type ClickHouseTable, openClickHouse } from "../../../src/clickhouse/client.ts";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { TableBinding, TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import { fail, type Result } from "../../../src/domain/shared/result.ts";
import { readSettings } from "../../../src/settings.ts";
import type { Env } from "../../protocol/env.ts";
import { openPassword } from "../../secrets/vault.ts";
import type { SourceProject } from "../port/trace-source.ts";

/** The table that a project is bound to. Passwords are opened for the duration of a call and are in memory only. */
export interface BoundTable {
  readonly env: Env;
  readonly project: SourceProject;
  readonly binding: TableBinding;
}

/** Opens the table without sending a request. `giveUp` ends its queries when it aborts. */
export async function openTable(
  { env, project, binding }: BoundTable,
  giveUp?: AbortSignal,
): Promise<Result<ClickHouseTable, SourceFailure>> {
  const { tenantId, projectId } = project;
  const password = await openPassword(env, { tenantId, id: projectId }, binding.envelope);
  return password === null ? fail(sourceFailure("password_lost")) : openWith(env, binding.source, password, giveUp);
}

/** Whether the table can be read, by a query that reads no row. Stores nothing. */
export async function checkTable(
  env: Env,
  source: TableSource,
  password: string,
): Promise<Result<null, SourceFailure>> {
  const table = openWith(env, source, password);
  return table.ok ? table.value.check() : table;
}

const openWith = (
  env: Env,
  source: TableSource,
  password: string,
  giveUp?: AbortSignal,
): Result<ClickHouseTable, SourceFailure> =>
  openClickHouse(source, password, {
    allowLoopback: readSettings(env).allowLoopbackEndpoints,
    ...(giveUp === undefined ? {} : { giveUp }),
  });
