import type { DestinationConfig } from "./records.ts";

/** Rights of the credentials in addition to writing, according to the check. */
export interface ProbeReport {
  readonly canRead: boolean;
  readonly canDelete: boolean;
}

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
      readonly probe: ProbeReport;
      readonly at: number;
    }
  | {
      readonly type: "CredentialsRotated";
      readonly credentials: SealedCredentials;
      readonly probe: ProbeReport;
      readonly at: number;
    }
  | { readonly type: "DestinationRenamed"; readonly displayName: string; readonly at: number }
  | { readonly type: "DestinationDeleted"; readonly at: number };
