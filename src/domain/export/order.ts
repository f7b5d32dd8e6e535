import type { DestinationConfig } from "../destination/records.ts";
import type { ExportDefinition } from "./records.ts";

export interface ExportOrder {
  readonly definition: ExportDefinition;
  readonly destination: DestinationConfig;
  /** Shards of the project. */
  readonly shards: number;
}
