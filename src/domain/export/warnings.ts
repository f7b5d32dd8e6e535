import { MICROS_PER_MS } from "../shared/time.ts";
import type { ExportDefinition } from "./records.ts";

/** Something that the customer may not expect of an export that is carried out as ordered. */
export interface ExportWarning {
  readonly code: "window_ends_in_future";
  readonly message: string;
}

const WINDOW_ENDS_IN_FUTURE: ExportWarning = {
  code: "window_ends_in_future",
  message:
    "The window ended in the future when this export was created. Runs that arrive after the snapshot of their day are not exported, though the export completes. Export the window again after its end, or create a schedule.",
};

/** Warnings about an export [EXP-32]. A schedule has none: it exports each window after its end. */
export const exportWarnings = ({ end, createdAt }: ExportDefinition): readonly ExportWarning[] =>
  end !== null && end > createdAt * MICROS_PER_MS ? [WINDOW_ENDS_IN_FUTURE] : [];
