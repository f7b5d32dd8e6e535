export interface Page {
  readonly offset: number;
  /** null: all. */
  readonly limit: number | null;
}

/** The items of a page. */
export const pageOf = <T>(all: readonly T[], { offset, limit }: Page): readonly T[] =>
  all.slice(offset, limit === null ? undefined : offset + limit);
