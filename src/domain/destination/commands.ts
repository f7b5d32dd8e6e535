import type { CheckReport } from "./check.ts";
import type { DestinationConfig } from "./records.ts";
import type { UploadsCursor } from "./sweep.ts";

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
  | { readonly type: "DeleteDestination" }
  /** An export opens the bucket. */
  | { readonly type: "UseDestination" }
  /** A page of open uploads was swept. `next`: where the next page begins; null: it was the last one, or listing failed. */
  | { readonly type: "RecordSweep"; readonly next: UploadsCursor | null; readonly exportTimeoutMs: number };
