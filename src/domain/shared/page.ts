export interface Page {
  readonly offset: number;
  /** null: all. */
  readonly limit: number | null;
}
