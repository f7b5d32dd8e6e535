import type { CheckReport } from "./check.ts";
import type { DestinationConfig } from "./records.ts";
import type { UploadsCursor } from "./sweep.ts";

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
  /** An export opened the bucket; recorded once a day. */
  | { readonly type: "DestinationUsed"; readonly at: number }
  /** One page of open uploads was swept. `next`: where the next page begins; `dueAt`: when; null: not before the next use. */
  | {
      readonly type: "UploadsSwept";
      readonly next: UploadsCursor | null;
      readonly dueAt: number | null;
      readonly at: number;
    }
  | { readonly type: "DestinationDeleted"; readonly at: number };
