import type { ExportRecord } from "../export/records.ts";
import type { KnownExport } from "./state.ts";

/** An export as its workspace knows it, without a call to its actor, which alone knows the manifest. */
export const exportRecordOf = ({ definition, report }: KnownExport): ExportRecord => ({
  ...definition,
  ...report,
  manifestFailure: null,
  failure: null,
});
