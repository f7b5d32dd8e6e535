import type { ExportEvent } from "../../src/domain/export/events.ts";
import type { ExportOrder, ExportRecord } from "../../src/domain/export/records.ts";
import type { ExportRunEvent } from "../../src/domain/export-run/events.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { ExportRunReport } from "../../src/domain/export-run/report.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery, Moment } from "../../src/domain/shared/history.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { ListBatch, ListBatchQuery } from "./list-batch.ts";

/** One per export: `export/<id>`. */
export interface ExportProtocol {
  create(order: ExportOrder): Promise<void>;
  admit(): Promise<void>;
  recordRunReport(ordinal: number, seq: number, report: ExportRunReport): Promise<void>;
  /** To a schedule: an export that it spawned has ended. */
  recordWindowEnded(exportId: string): Promise<void>;
  pause(): Promise<Result<ExportRecord, Refusal>>;
  resume(): Promise<Result<ExportRecord, Refusal>>;
  cancel(): Promise<Result<ExportRecord, Refusal>>;
  /** Its project was deleted. */
  failForDeletedProject(): Promise<void>;
  /** null: not created yet. */
  view(): Promise<ExportRecord | null>;
  runs(query: ListBatchQuery): Promise<ListBatch<ExportRunRecord>>;
  run(runId: string): Promise<ExportRunRecord | null>;
  /** The text of the manifest, byte for byte as in the bucket; `conflict` before the export is COMPLETED. */
  manifest(): Promise<Result<string, Refusal>>;
  /** Its event log. */
  events(query: EventQuery): Promise<EventPage<ExportEvent>>;
  /** The event log of one of its runs; empty before the run starts. */
  runEvents(runId: string, query: EventQuery): Promise<EventPage<ExportRunEvent>>;
  viewAsOf(moment: Moment): Promise<Result<ExportRecord, Refusal>>;
  /** An event number is one of the run's own log. */
  runAsOf(runId: string, moment: Moment): Promise<Result<ExportRunRecord, Refusal>>;
}
