import type { DestinationConfig } from "../destination/records.ts";
import type { ExportDefinition, ExportReport } from "../export/records.ts";
import type { ExportRunRecord } from "../export-run/records.ts";
import type { TableSource } from "../project/clickhouse-binding.ts";
import type { NewKey } from "./events.ts";
import type { Plan } from "./records.ts";
import type { ProjectChange, ProjectDefaults, WantedProject } from "./wanted-project.ts";

/** A command to the workspace of that tenant. `now`: the shell's clock at the moment of the command. */
export type WorkspaceCommand = WorkspaceOrder & { readonly tenantId: string; readonly now: number };

/** The command of that type. */
export type CommandOf<Type extends WorkspaceCommand["type"]> = Extract<WorkspaceCommand, { type: Type }>;

export type WorkspaceOrder =
  | { readonly type: "CreateWorkspace"; readonly name: string; readonly plan: Plan }
  | { readonly type: "ChangePlan"; readonly plan: Plan }
  | { readonly type: "AddKey"; readonly key: NewKey }
  | { readonly type: "RevokeKey"; readonly keyHash: string }
  /** `upsert`: if a project of that name exists, the wanted members replace its own. */
  | {
      readonly type: "CreateProject";
      readonly wanted: WantedProject;
      readonly upsert: boolean;
      readonly defaults: ProjectDefaults;
    }
  /** Finds or creates the project of that name, and adds the key. */
  | {
      readonly type: "OpenProject";
      readonly name: string;
      readonly key: NewKey;
      readonly defaults: ProjectDefaults;
    }
  | { readonly type: "ChangeProject"; readonly change: ProjectChange }
  | { readonly type: "DeleteProject"; readonly id: string }
  /** `envelope`: the sealed password of the table. */
  | {
      readonly type: "BindProject";
      readonly id: string;
      readonly source: TableSource;
      readonly envelope: string;
    }
  | { readonly type: "UnbindProject"; readonly id: string }
  | { readonly type: "AddDestination"; readonly id: string; readonly config: DestinationConfig }
  /** `force`: also while exports write to it. */
  | { readonly type: "RemoveDestination"; readonly id: string; readonly force: boolean }
  /** A customer's order. `maxRunning`: exports that may work at once [LIM-6]. */
  | { readonly type: "CreateExport"; readonly definition: ExportDefinition; readonly maxRunning: number }
  /** The window of a schedule. Never refused: a window would be lost. */
  | { readonly type: "SpawnExport"; readonly definition: ExportDefinition; readonly maxRunning: number }
  /** Exports once more what a failed run of that export was to export. */
  | {
      readonly type: "RetryRun";
      readonly exportId: string;
      readonly run: ExportRunRecord;
      readonly maxRunning: number;
    }
  | {
      readonly type: "RecordExportReport";
      readonly id: string;
      /** Rises with each report of the export; an older or repeated one changes nothing. */
      readonly seq: number;
      readonly report: ExportReport;
      readonly maxRunning: number;
    };
