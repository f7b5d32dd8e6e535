import type { CheckReport } from "./check.ts";
import type { DestinationConfig } from "./records.ts";

/** Credentials as they are stored. `envelope` null: those of the installation's environment. */
export interface SealedCredentials {
  readonly version: number;
  readonly envelope: string | null;
  readonly keys: readonly string[];
}

export type DestinationEvent =
  | {
      readonly type: "DestinationCreated";
      readonly id: string;
      readonly tenantId: string;
      readonly displayName: string;
      readonly config: DestinationConfig;
      readonly credentials: SealedCredentials;
      readonly check: CheckReport;
      readonly at: number;
    }
  | {
      readonly type: "CredentialsRotated";
      readonly credentials: SealedCredentials;
      readonly check: CheckReport;
      readonly at: number;
    }
  | { readonly type: "DestinationRenamed"; readonly displayName: string; readonly at: number }
  | { readonly type: "DestinationDeleted"; readonly at: number };
