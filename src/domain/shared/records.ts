import type { IngestSpan, LateWindow } from "../schedule/late.ts";
import type { RunFailure, StoreFailure } from "./failures.ts";
import type { Compression, ExportField, FormatVersion } from "./fields.ts";

/** The records that actors keep and show. Plain data; instants are epoch milliseconds. */

export type Plan = "developer" | "plus" | "enterprise";
/** What a key may do: ask, send traces and feedback, or everything. */
export const ROLES = ["read", "ingest", "manage"] as const;
export type Role = (typeof ROLES)[number];

export type ExportStatus = "CREATED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMEDOUT";

/** Everything a customer asked for; fixed from creation on. */
export interface ExportDefinition {
  readonly id: string;
  readonly tenantId: string;
  readonly destinationId: string;
  readonly projectId: string;
  readonly start: number;
  /** null: a schedule. */
  readonly end: number | null;
  /** null: a one-off export. */
  readonly intervalHours: number | null;
  readonly filter: string | null;
  /** As sent and in the order sent; null: every exportable field. */
  readonly exportFields: readonly ExportField[] | null;
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** The schedule that spawned this export. */
  readonly sourceExportId: string | null;
  /** The failed run whose range this export covers once more. */
  readonly retryOfRunId: string | null;
  /** Parts of earlier days of which the export carries rows that came late; absent: none. */
  readonly late?: readonly LateWindow[];
  /** Of a customer's table only the rows that it got then; absent: no schedule fixed it. */
  readonly ingested?: IngestSpan;
  readonly createdAt: number;
}

export interface ExportRecord extends ExportDefinition {
  readonly status: ExportStatus;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Since when it is paused; null: it is not, or it has ended. */
  readonly pausedAt: number | null;
  /** Rows in committed files so far, and rows in the snapshots so far: the progress of the whole export. */
  readonly rowsWritten: number;
  readonly rowsPlanned: number;
  /** Why the manifest could not be written, though all runs are done; null also where only the export knows. */
  readonly manifestFailure: StoreFailure | null;
  /** Whether it ended because its project was deleted; false also where only the export knows. */
  readonly isProjectDeleted: boolean;
}

export interface ExportRunRecord {
  readonly id: string;
  readonly exportId: string;
  readonly projectId: string;
  readonly status: ExportStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** The partition: half-open. */
  readonly start: number;
  readonly end: number;
  /** Of the partition only rows that came too late for the schedule's earlier windows. */
  readonly late: boolean;
  readonly retryNumber: number;
  readonly failures: readonly { readonly retry: number; readonly at: number; readonly failure: RunFailure }[];
  /** Key prefix of the destination (without the bucket). */
  readonly prefix: string;
  /** null until the snapshot was taken. */
  readonly progress: {
    readonly rowsPlanned: number;
    readonly rowsWritten: number;
    readonly bytesWritten: number;
    /** Committed files as `<bucket>/<key>`. */
    readonly files: readonly string[];
    /** Folder of the run's files as `<bucket>/<prefix>/export_id=.../day=...`. */
    readonly exportPath: string;
    /** `<file ordinal>:<parts uploaded>` of the file being written. */
    readonly cursor: string | null;
  } | null;
}

export interface DestinationConfig {
  readonly bucketName: string;
  /** As sent, without leading and trailing slashes. */
  readonly prefix: string;
  readonly region: string | null;
  /** null: AWS, addressed by region. */
  readonly endpointUrl: string | null;
  readonly includeBucketInPrefix: boolean;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface DestinationRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly displayName: string;
  readonly config: DestinationConfig;
  /** Names only, for example ["access_key_id", "secret_access_key"]; empty: credentials from the environment. */
  readonly credentialsKeys: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Project {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly shards: number;
  readonly description: string | null;
  /** JSON text as sent. */
  readonly extra: string | null;
  readonly startTime: number;
  /** As the customer says; absent or null: it goes on. Nothing follows from it. */
  readonly endTime?: number | null;
  /** Days for which it keeps the runs of a day after that day; null: for ever. */
  readonly retentionDays: number | null;
}

/** What a query has to know of a project: few bytes, since a workspace may have many of them. */
export type QueriedProject = Pick<Project, "id" | "shards" | "retentionDays">;

/** Whoever asks with a key that names no user. */
export const DEFAULT_USER_ID = "default";

export interface Identity {
  readonly tenantId: string;
  /** Whose OAuth tokens the bearer of the key uses. */
  readonly userId: string;
  readonly plan: Plan;
  readonly role: Role;
}

export interface Page {
  readonly offset: number;
  /** null: all. */
  readonly limit: number | null;
}
