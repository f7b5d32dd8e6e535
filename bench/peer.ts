/** What both peers are asked. Columns in the order of the file; the table's rows are those of the rows file. */
export type PeerRequest =
  | { readonly kind: "load"; readonly source: string; readonly folder: string }
  | { readonly kind: "export"; readonly columns: readonly string[]; readonly target: string };

/** How long an export took inside the peer. */
export interface PeerExport {
  readonly ms: number;
}
