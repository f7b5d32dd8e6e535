/** What every peer is asked. The runs are those of the rows file. */
export type PeerRequest =
  /** Makes its copy of the runs in the folder, from the rows file. */
  | { readonly kind: "load"; readonly source: string; readonly folder: string }
  /** Opens the folder that another process has loaded: memory is then that of exporting alone. */
  | { readonly kind: "open"; readonly folder: string }
  | ({ readonly kind: "export" } & ExportOrder)
  | ({ readonly kind: "query" } & QueryOrder);

/** Columns in the order of the file. */
export interface ExportOrder {
  readonly columns: readonly string[];
  readonly where: string | null;
  readonly target: string;
}

/** The newest runs that match, so many at most. */
export interface QueryOrder {
  readonly columns: readonly string[];
  readonly where: string;
  readonly limit: number;
}

export const sqlOfQuery = ({ columns, where, limit }: QueryOrder, table: string): string =>
  `SELECT ${columns.join(", ")} FROM ${table} WHERE ${where} ORDER BY start_time DESC, id DESC LIMIT ${limit}`;

/** How long a query took inside the peer, until its rows had been read, and what it found. */
export interface PeerQuery {
  readonly ms: number;
  readonly ids: readonly string[];
}

/** How long an export took inside the peer. */
export interface PeerExport {
  readonly ms: number;
}
