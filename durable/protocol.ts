import type { Refusal } from "../src/domain/failures.ts";
import type {
  Credentials,
  DestinationConfig,
  DestinationRecord,
  ExportDefinition,
  ExportRecord,
  ExportRunRecord,
  Identity,
  Page,
  Plan,
  Project,
  Role,
} from "../src/domain/records.ts";
import type { Result } from "../src/domain/result.ts";

/**
 * What HTTP asks of a workspace: plain data in and out. Every method answers with data; a throw is a fault of our own.
 */

/** One per tenant: `workspace/<tenantId>`. */
export interface WorkspaceProtocol {
  create(command: {
    readonly id: string;
    readonly name: string;
    readonly plan: Plan;
  }): Promise<Result<{ readonly id: string }, Refusal>>;
  setPlan(plan: Plan): Promise<Result<null, Refusal>>;
  /** `keyHash`: SHA-256 of the key in lower-case hex. The key itself is made by HTTP and shown once. */
  addKey(key: {
    readonly keyHash: string;
    readonly label: string;
    readonly role: Role;
  }): Promise<Result<null, Refusal>>;
  revokeKey(keyHash: string): Promise<Result<null, Refusal>>;
  authorize(keyHash: string): Promise<Result<Identity, Refusal>>;

  /** Finds or creates projects by name; ids that are unknown are refused. The answers stand in the order asked. */
  resolveProjects(
    asked: readonly ({ readonly name: string } | { readonly id: string })[],
  ): Promise<readonly Result<Project, Refusal>[]>;
  createProject(project: {
    readonly id: string | null;
    readonly name: string;
    readonly upsert: boolean;
    readonly description: string | null;
    readonly extra: string | null;
  }): Promise<Result<Project, Refusal>>;
  project(id: string): Promise<Result<Project, Refusal>>;
  listProjects(
    query: {
      readonly name: string | null;
      readonly nameContains: string | null;
      readonly ids: readonly string[] | null;
    } & Page,
  ): Promise<readonly Project[]>;

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
