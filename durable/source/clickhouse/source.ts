import type { TableBinding } from "../../../src/domain/project/clickhouse-binding.ts";
import type { Env } from "../../protocol/env.ts";
import type { SourceProject, TraceSource } from "../port/trace-source.ts";
import { findDaysInTable } from "./days.ts";
import { estimateTable } from "./estimate.ts";
import { findLateInTable } from "./late-rows.ts";
import { snapshotOfTable } from "./snapshot.ts";

/** A customer's ClickHouse table as a source: its rows are staged as segments, page by page. */
export const clickHouseSource = (env: Env, project: SourceProject, binding: TableBinding): TraceSource => {
  const table = { env, project, binding };
  return {
    snapshot: (question, staging) => snapshotOfTable(table, question, staging),
    findDays: (question) => findDaysInTable(table, question),
    findLate: (question) => findLateInTable(table, question),
    // The schedule's own ledger stores which exports have which rows, and how they ended.
    releaseLate: async () => {},
    estimate: (question) => estimateTable(table, question),
  };
};
