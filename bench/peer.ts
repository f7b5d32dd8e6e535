/** What every peer is asked. The runs are those of the rows file. */
export type PeerRequest =
  /** Makes its copy of the runs in the folder, from the rows file. */
  | { readonly kind: "load"; readonly source: string; readonly folder: string }
  /** Opens the folder that another process has loaded: memory is then that of exporting alone. */
  | { readonly kind: "open"; readonly folder: string }
  | ({ readonly kind: "export" } & ExportOrder);

/** Columns in the order of the file. */
export interface ExportOrder {
  readonly columns: readonly string[];
  readonly where: string | null;
  readonly target: string;
}

/** How long an export took inside the peer. */
export interface PeerExport {
  readonly ms: number;
}
