/** What requests say about projects. */

/** The members of a new project in a request. */
export interface WantedProject {
  /** null: any. */
  readonly id: string | null;
  readonly name: string;
  readonly description: string | null;
  /** JSON text. */
  readonly extra: string | null;
  /** Undefined: the default; null: for ever. */
  readonly retentionDays: number | null | undefined;
}

/** Defaults of a new project, for members that the request does not have. */
export interface ProjectDefaults {
  /** Never used before. */
  readonly id: string;
  readonly shards: number;
  /** null: for ever. */
  readonly retentionDays: number | null;
}

/** What may change of a project; null: stays as it is. */
export interface ProjectChange {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  /** JSON text. */
  readonly extra: string | null;
  readonly endTime: number | null;
  /** Undefined: as it is; null: for ever. */
  readonly retentionDays: number | null | undefined;
}

/** A project of which only the name is given. */
export const projectNamed = (name: string): WantedProject => ({
  id: null,
  name,
  description: null,
  extra: null,
  retentionDays: undefined,
});
