import type { Credentials, DestinationConfig, DestinationRecord } from "../../src/domain/destination/records.ts";
import type { ExportDefinition, ExportRecord, ExportReport } from "../../src/domain/export/records.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { TableBinding, TableSource } from "../../src/domain/project/clickhouse-binding.ts";
import type { Project, QueriedProject } from "../../src/domain/project/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Page } from "../../src/domain/shared/page.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { NewKey } from "../../src/domain/workspace/events.ts";
import type { ProjectQuery } from "../../src/domain/workspace/project-query.ts";
import type { Identity, Plan } from "../../src/domain/workspace/records.ts";
import type { ProjectChange, WantedProject } from "../../src/domain/workspace/wanted-project.ts";
import type { ListBatch, ListBatchQuery } from "./list-batch.ts";

/**
 * One per tenant: `workspace/<tenantId>`. As in all protocols between actors: plain data in and out, instants in epoch
 * milliseconds; every method answers with data, a throw is a fault of our own.
 */
export interface WorkspaceProtocol {
  create(command: {
    readonly id: string;
    readonly name: string;
    readonly plan: Plan;
  }): Promise<Result<{ readonly id: string }, Refusal>>;
  setPlan(plan: Plan): Promise<Result<null, Refusal>>;
  /** `keyHash`: SHA-256 of the key in lower-case hex. The key itself is made by the HTTP layer and shown once. */
  addKey(key: NewKey): Promise<Result<null, Refusal>>;
  /** The key is no longer accepted, also if it is added later. `not_found`: the workspace does not have it. */
  revokeKey(keyHash: string): Promise<Result<null, Refusal>>;
  authorize(keyHash: string): Promise<Result<Identity, Refusal>>;

  /** Finds or creates projects by name, and finds them by id. One answer per question, in order. */
  resolveProjects(
    references: readonly ({ readonly name: string } | { readonly id: string })[],
  ): Promise<readonly Result<Project, Refusal>[]>;
  /**
   * Finds or creates the project of that name, and adds the key, in one step. `conflict`: the key was revoked, and nothing
   * was created.
   */
  openProject(command: { readonly name: string; readonly key: NewKey }): Promise<Result<Project, Refusal>>;
  createProject(project: WantedProject & { readonly upsert: boolean }): Promise<Result<Project, Refusal>>;
  project(id: string): Promise<Result<Project, Refusal>>;
  listProjects(query: ProjectQuery & Page): Promise<readonly Project[]>;
  /** The workspace's projects among these ids; null: all of them. */
  projectsToQuery(ids: readonly string[] | null): Promise<readonly QueriedProject[]>;
  changeProject(change: ProjectChange): Promise<Result<Project, Refusal>>;
  /** Its runs are no longer visible. Its exports that have not ended fail, its schedules are cancelled. */
  deleteProject(id: string): Promise<Result<null, Refusal>>;

  /**
   * From now on the project's runs are read from a customer's table. A query that reads no row checks the table first;
   * nothing changes when it fails.
   */
  bindProject(command: {
    readonly id: string;
    readonly source: TableSource;
    readonly password: string;
  }): Promise<Result<TableBinding, Refusal>>;
  unbindProject(id: string): Promise<Result<null, Refusal>>;
  /** null: the project's runs are read from the built-in shards. */
  binding(id: string): Promise<TableBinding | null>;

  /** Probes the bucket, seals the credentials, then records the destination; nothing is kept when the probe fails. */
  createDestination(command: {
    readonly id: string;
    readonly displayName: string;
    readonly config: DestinationConfig;
    readonly credentials: Credentials | null;
  }): Promise<Result<DestinationRecord, Refusal>>;
  destination(id: string): Promise<Result<DestinationRecord, Refusal>>;
  listDestinations(query: ListBatchQuery): Promise<ListBatch<DestinationRecord>>;
  /** Probes with the new values first; changes nothing when the probe fails. Absent members stay as they are. */
  updateDestination(command: {
    readonly id: string;
    readonly displayName?: string;
    readonly credentials?: Credentials;
  }): Promise<Result<DestinationRecord, Refusal>>;
  /** Refused with `conflict` while an export that has not ended references it, unless forced. */
  deleteDestination(command: { readonly id: string; readonly force: boolean }): Promise<Result<null, Refusal>>;

  /** A known id returns its present record, or `invalid` if it belongs to another order. */
  createExport(definition: ExportDefinition): Promise<Result<ExportRecord, Refusal>>;
  /** Registers the export of a schedule's window. Never refused, because the window would be lost. */
  spawnExport(definition: ExportDefinition): Promise<void>;
  export(id: string): Promise<Result<ExportRecord, Refusal>>;
  /** Newest first. */
  listExports(query: ListBatchQuery): Promise<ListBatch<ExportRecord>>;
  /** A cancelled export answers unchanged; another ended one is refused with `conflict`. */
  cancelExport(id: string): Promise<Result<ExportRecord, Refusal>>;
  /** A paused (or resumed) export answers unchanged; an ended one is refused with `conflict`. */
  pauseExport(id: string): Promise<Result<ExportRecord, Refusal>>;
  resumeExport(id: string): Promise<Result<ExportRecord, Refusal>>;
  /** Creates, once, a one-off export of the range of the failed run; `conflict` if it has not failed. */
  retryRun(query: { readonly exportId: string; readonly runId: string }): Promise<Result<ExportRecord, Refusal>>;
  listRuns(query: { readonly exportId: string } & ListBatchQuery): Promise<Result<ListBatch<ExportRunRecord>, Refusal>>;
  run(query: { readonly exportId: string; readonly runId: string }): Promise<Result<ExportRunRecord, Refusal>>;
  /** Runs of all exports that the schedule spawned. */
  listScheduleRuns(
    query: { readonly scheduleId: string } & ListBatchQuery,
  ): Promise<Result<ListBatch<ExportRunRecord>, Refusal>>;

  recordExportReport(id: string, seq: number, report: ExportReport): Promise<void>;
}
