/** Requests to a peer. */
export type PeerRequest =
  /** Loads the runs of the rows file into the folder. */
  | { readonly kind: "load"; readonly source: string; readonly folder: string }
  /** Opens the folder that another process has loaded, so that memory for loading is not measured. */
  | { readonly kind: "open"; readonly folder: string }
  | ({ readonly kind: "export" } & ExportOrder)
  | ({ readonly kind: "query" } & QueryOrder);

/** Columns in the order of the file. */
export interface ExportOrder {
  readonly columns: readonly string[];
  readonly where: string | null;
  readonly target: string;
}

/** The newest runs that match, at most `limit`. */
export interface QueryOrder {
  readonly columns: readonly string[];
  readonly where: string;
  readonly limit: number;
}

export const sqlOfQuery = ({ columns, where, limit }: QueryOrder, table: string): string =>
  `SELECT ${columns.join(", ")} FROM ${table} WHERE ${where} ORDER BY start_time DESC, id DESC LIMIT ${limit}`;

/** Duration of a query in the peer, including reading the rows, and the ids it found. */
export interface PeerQuery {
  readonly ms: number;
  readonly ids: readonly string[];
}

/** Duration of an export in the peer. */
export interface PeerExport {
  readonly ms: number;
}
