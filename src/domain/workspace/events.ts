import type { DestinationConfig } from "../destination/records.ts";
import type { ExportDefinition, ExportReport } from "../export/records.ts";
import type { TableBinding } from "../project/clickhouse-binding.ts";
import type { Project } from "../project/records.ts";
import type { Plan, Role } from "./records.ts";

export interface ApiKey {
  /** SHA-256 of the key, lower-case hex; the key itself is never stored. */
  readonly keyHash: string;
  readonly label: string;
  readonly role: Role;
  /** Whose OAuth tokens the bearer of the key uses. */
  readonly userId: string;
  readonly createdAt: number;
}

export type NewKey = Omit<ApiKey, "createdAt">;

export type WorkspaceEvent =
  | {
      readonly type: "WorkspaceCreated";
      readonly id: string;
      readonly name: string;
      readonly plan: Plan;
      readonly at: number;
    }
  | { readonly type: "PlanChanged"; readonly plan: Plan; readonly at: number }
  | { readonly type: "KeyAdded"; readonly key: ApiKey; readonly at: number }
  | { readonly type: "KeyRevoked"; readonly keyHash: string; readonly at: number }
  | { readonly type: "ProjectCreated"; readonly project: Project; readonly at: number }
  /** The whole project after the change. */
  | { readonly type: "ProjectChanged"; readonly project: Project; readonly at: number }
  /** Some days are kept for less time than before: their shards must learn of it. */
  | { readonly type: "RetentionShortened"; readonly id: string; readonly at: number }
  | { readonly type: "ProjectDeleted"; readonly id: string; readonly at: number }
  /** From now on its runs are read from a table of the customer's. */
  | { readonly type: "ProjectBound"; readonly id: string; readonly binding: TableBinding; readonly at: number }
  | { readonly type: "ProjectUnbound"; readonly id: string; readonly at: number }
  | {
      readonly type: "DestinationAdded";
      readonly id: string;
      readonly config: DestinationConfig;
      readonly at: number;
    }
  | { readonly type: "DestinationRemoved"; readonly id: string; readonly at: number }
  | { readonly type: "ExportRegistered"; readonly definition: ExportDefinition; readonly at: number }
  | { readonly type: "ExportAdmitted"; readonly id: string; readonly at: number }
  | {
      readonly type: "ExportReported";
      readonly id: string;
      readonly seq: number;
      readonly report: ExportReport;
      readonly at: number;
    };
