import type { DestinationConfig } from "../../src/domain/destination/records.ts";
import type { RunReport } from "../../src/domain/export/events.ts";
import type { ExportDefinition } from "../../src/domain/export/records.ts";
import type { RunSpec } from "../../src/domain/export-run/events.ts";
import type { ExportReport } from "../../src/domain/workspace/events.ts";

/**
 * What actors tell each other through their outboxes: at least once, in order. A receiver ignores what it knows:
 * reports carry the sender's sequence number, everything else an id.
 */

export interface ExportOrder {
  readonly definition: ExportDefinition;
  readonly destination: DestinationConfig;
  /** Shards of the project. */
  readonly shards: number;
}

/** To the export with that id; the last two: of the project with that id, to the tenant's strays. */
export type WorkspaceMessage =
  | { readonly id: string; readonly kind: "create"; readonly order: ExportOrder }
  | { readonly id: string; readonly kind: "admit" | "lose_project" }
  | { readonly id: string; readonly kind: "erase_project" | "shorten_retention" };

export type ExportMessage =
  | { readonly to: "workspace"; readonly kind: "report"; readonly seq: number; readonly report: ExportReport }
  | { readonly to: "workspace"; readonly kind: "spawn"; readonly definition: ExportDefinition }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "start"; readonly spec: RunSpec }
  /** `order`: number of the event that asks; it rises, so that a run knows a late or repeated message. */
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "pause" | "resume"; readonly order: number }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "cancel" }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "time_out" }
  | { readonly to: "shards"; readonly kind: "release_late"; readonly day: string };

export interface RunMessage {
  readonly seq: number;
  readonly report: RunReport;
}
