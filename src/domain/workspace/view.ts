import type { ExportRecord } from "../records.ts";
import type { KnownExport } from "./state.ts";

/** An export as its workspace can show it, without waking the export itself. */
export const exportRecordOf = ({ definition, report }: KnownExport): ExportRecord => ({ ...definition, ...report });
