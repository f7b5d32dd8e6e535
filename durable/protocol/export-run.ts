import type { ExportRunFiles } from "../../src/domain/export/manifest.ts";
import type { ExportRunEvent, ExportRunSpec } from "../../src/domain/export-run/events.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { ExportFailure } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery, Moment } from "../../src/domain/shared/history.ts";

/** One per run: `export-run/<export id>/<ordinal>`. */
export interface ExportRunProtocol {
  start(spec: ExportRunSpec): Promise<void>;
  /** `order`: number of the export's event that caused the call; an older or repeated one changes nothing. */
  pause(order: number): Promise<void>;
  resume(order: number): Promise<void>;
  cancel(): Promise<void>;
  /** The export ended for that reason. */
  stop(failure: ExportFailure): Promise<void>;
  /** null: not started yet. */
  view(): Promise<ExportRunRecord | null>;
  events(query: EventQuery): Promise<EventPage<ExportRunEvent>>;
  /** null: not started then, or the event has not happened. */
  viewAsOf(moment: Moment): Promise<ExportRunRecord | null>;
  /** Committed files; null before the run started. */
  files(): Promise<ExportRunFiles | null>;
}
