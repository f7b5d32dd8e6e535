import type { Partition } from "../../src/domain/export-run/partition.ts";
import type { TableSource } from "../../src/domain/project/clickhouse-binding.ts";
import type { SourceFailure } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import { workspace } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { builtInSource } from "./built-in/source.ts";
import { checkTable } from "./clickhouse/open-table.ts";
import { clickHouseSource } from "./clickhouse/source.ts";
import type { SourceProject, TraceSource } from "./port/trace-source.ts";

/** The list of sources; the binding of a project decides which one its exports read. */

/** The source that the exports of a project read now. */
export const sourceOf = async (env: Env, project: SourceProject): Promise<TraceSource> =>
  (await boundSource(env, project)) ?? builtInSource(env, project);

/** The source of the rows of a partition. Late rows are read where they arrived. */
export const sourceOfPartition = async (
  env: Env,
  project: SourceProject,
  { late, ingested }: Partition,
): Promise<TraceSource> => (late && ingested === undefined ? builtInSource(env, project) : sourceOf(env, project));

/** The sources that may have late rows of a schedule. A bound project may owe rows that it was sent before. */
export const lateSourcesOf = async (env: Env, project: SourceProject): Promise<readonly TraceSource[]> => {
  const bound = await boundSource(env, project);
  return [builtInSource(env, project), ...(bound === null ? [] : [bound])];
};

/** Whether a project can be bound to a source: all columns that exports need are readable. Stores nothing. */
export const checkSource = (env: Env, source: TableSource, password: string): Promise<Result<null, SourceFailure>> =>
  checkTable(env, source, password);

/** null: the project is not bound. */
async function boundSource(env: Env, project: SourceProject): Promise<TraceSource | null> {
  const binding = await workspace(env, project.tenantId).binding(project.projectId);
  return binding === null ? null : clickHouseSource(env, project, binding);
}
