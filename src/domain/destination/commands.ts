import type { CheckReport } from "./check.ts";
import type { DestinationConfig } from "./records.ts";

/**
 * A command to a destination. `tenantId`: the workspace of the caller; destinations of other workspaces do not exist
 * for it. `now`: the shell's clock at the moment of the command.
 */
export type DestinationCommand = DestinationOrder & {
  readonly id: string;
  readonly tenantId: string;
  readonly now: number;
};

export type DestinationOrder =
  | {
      readonly type: "CreateDestination";
      readonly displayName: string;
      readonly config: DestinationConfig;
      readonly envelope: string | null;
      readonly keys: readonly string[];
      readonly check: CheckReport;
    }
  | {
      readonly type: "RotateCredentials";
      readonly envelope: string;
      readonly keys: readonly string[];
      readonly check: CheckReport;
    }
  | { readonly type: "RenameDestination"; readonly displayName: string }
  | { readonly type: "DeleteDestination" };
