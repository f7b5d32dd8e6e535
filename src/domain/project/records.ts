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
