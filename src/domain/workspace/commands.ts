import type { DestinationConfig } from "../destination/records.ts";
import type { ExportDefinition } from "../export/records.ts";
import type { ExportReport } from "../export/report.ts";
import type { TableBinding } from "../project/clickhouse-binding.ts";
import type { Project } from "../project/records.ts";
import type { ApiKey } from "./events.ts";
import type { Plan } from "./records.ts";

/** What can be asked of a workspace. `now` is the shell's clock at the moment of asking. */
export type WorkspaceCommand =
  | { readonly type: "Create"; readonly id: string; readonly name: string; readonly plan: Plan; readonly now: number }
  | { readonly type: "ChangePlan"; readonly plan: Plan; readonly now: number }
  | { readonly type: "AddKey"; readonly key: ApiKey; readonly now: number }
  | { readonly type: "RevokeKey"; readonly keyHash: string; readonly now: number }
  | { readonly type: "CreateProject"; readonly project: Project; readonly now: number }
  /** `project`: as it is from now on. */
  | { readonly type: "ChangeProject"; readonly project: Project; readonly now: number }
  | { readonly type: "DeleteProject"; readonly id: string; readonly now: number }
  | { readonly type: "BindProject"; readonly id: string; readonly binding: TableBinding; readonly now: number }
  | { readonly type: "UnbindProject"; readonly id: string; readonly now: number }
  | { readonly type: "AddDestination"; readonly id: string; readonly config: DestinationConfig; readonly now: number }
  | { readonly type: "RemoveDestination"; readonly id: string; readonly now: number }
  /** `maxRunning`: how many exports may work at once [LIM-6]. */
  | {
      readonly type: "RegisterExport";
      readonly definition: ExportDefinition;
      readonly maxRunning: number;
      readonly now: number;
    }
  | {
      readonly type: "RecordExportReport";
      readonly id: string;
      /** Rises with each report of the export; an older or repeated one changes nothing. */
      readonly seq: number;
      readonly report: ExportReport;
      readonly maxRunning: number;
      readonly now: number;
    };
