import type { Compression, ExportField, FormatVersion } from "../src/domain/fields.ts";
import type { Refusal, RunFailure } from "../src/domain/failures.ts";
import type { Result } from "../src/domain/result.ts";

/**
 * What actors say to HTTP and to each other: plain data, names, counters and sealed envelopes. Instants are epoch
 * milliseconds. Every method answers with data; a throw is a fault of our own.
 */

export type Plan = "developer" | "plus" | "enterprise";
export type Role = "read" | "manage";

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
  readonly createdAt: number;
}

export interface ExportRecord extends ExportDefinition {
  readonly status: ExportStatus;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Rows in committed files so far, and rows in the snapshots so far: the progress of the whole export. */
  readonly rowsWritten: number;
  readonly rowsPlanned: number;
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
}

export interface Identity {
  readonly tenantId: string;
  readonly plan: Plan;
  readonly role: Role;
}

export interface Page {
  readonly offset: number;
  /** null: all. */
  readonly limit: number | null;
}

/** One per tenant: `workspace/<tenantId>`. */
export interface WorkspaceProtocol {
  create(command: { readonly id: string; readonly name: string; readonly plan: Plan }): Promise<Result<{ readonly id: string }, Refusal>>;
  setPlan(plan: Plan): Promise<Result<null, Refusal>>;
  /** `keyHash`: SHA-256 of the key in lower-case hex. The key itself is made by HTTP and shown once. */
  addKey(key: { readonly keyHash: string; readonly label: string; readonly role: Role }): Promise<Result<null, Refusal>>;
  revokeKey(keyHash: string): Promise<Result<null, Refusal>>;
  authorize(keyHash: string): Promise<Result<Identity, Refusal>>;

  /** Finds or creates projects by name; ids that are unknown are refused. The answers stand in the order asked. */
  resolveProjects(asked: readonly ({ readonly name: string } | { readonly id: string })[]): Promise<readonly Result<Project, Refusal>[]>;
  createProject(project: {
    readonly id: string | null;
    readonly name: string;
    readonly upsert: boolean;
    readonly description: string | null;
    readonly extra: string | null;
  }): Promise<Result<Project, Refusal>>;
  project(id: string): Promise<Result<Project, Refusal>>;
  listProjects(query: { readonly name: string | null; readonly nameContains: string | null; readonly ids: readonly string[] | null } & Page): Promise<readonly Project[]>;

  /** Probes the bucket, seals the credentials, then records the destination; nothing is kept when the probe fails. */
  createDestination(command: {
    readonly id: string;
    readonly displayName: string;
    readonly config: DestinationConfig;
    readonly credentials: Credentials | null;
  }): Promise<Result<DestinationRecord, Refusal>>;
  destination(id: string): Promise<Result<DestinationRecord, Refusal>>;
  listDestinations(page: Page): Promise<readonly DestinationRecord[]>;
  /** Probes with the new values first; changes nothing when the probe fails. Absent members stay as they are. */
  updateDestination(command: {
    readonly id: string;
    readonly displayName?: string;
    readonly credentials?: Credentials;
  }): Promise<Result<DestinationRecord, Refusal>>;
  /** Refused with `conflict` while an export that has not ended references it, unless forced. */
  deleteDestination(command: { readonly id: string; readonly force: boolean }): Promise<Result<null, Refusal>>;

  createExport(definition: ExportDefinition): Promise<Result<ExportRecord, Refusal>>;
  export(id: string): Promise<Result<ExportRecord, Refusal>>;
  listExports(page: Page): Promise<readonly ExportRecord[]>;
  /** A cancelled export answers unchanged; another ended one is refused with `conflict`. */
  cancelExport(id: string): Promise<Result<ExportRecord, Refusal>>;
  listRuns(query: { readonly exportId: string } & Page): Promise<Result<readonly ExportRunRecord[], Refusal>>;
  run(query: { readonly exportId: string; readonly runId: string }): Promise<Result<ExportRunRecord, Refusal>>;
  /** Runs of all exports that the schedule spawned. */
  listScheduleRuns(query: { readonly scheduleId: string } & Page): Promise<Result<readonly ExportRunRecord[], Refusal>>;
}
