import type { ExportRecord } from "../export/records.ts";
import type { KnownExport } from "./state.ts";

/** An export as its workspace can show it, without waking the export itself, which alone knows of its manifest. */
export const exportRecordOf = ({ definition, report }: KnownExport): ExportRecord => ({
  ...definition,
  ...report,
  manifestFailure: null,
  isProjectDeleted: false,
});
