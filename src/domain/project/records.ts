/** Longest name of a project, in UTF-16 units. */
export const MAX_PROJECT_NAME_CHARACTERS = 1024;

export interface Project {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly shards: number;
  readonly description: string | null;
  /** JSON text as sent. */
  readonly extra: string | null;
  readonly startTime: number;
  /** As sent; null: none. It has no effect. */
  readonly endTime: number | null;
  /** Days for which the runs of a day are kept after that day; null: for ever. */
  readonly retentionDays: number | null;
}

/** The members of a project that a query needs: few bytes, because a workspace may have many projects. */
export type QueriedProject = Pick<Project, "id" | "shards" | "retentionDays">;
