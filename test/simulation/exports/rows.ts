/** A row that the customer sent. Exports are compared with these rows. */
export interface SentRow {
  readonly id: string;
  readonly day: string;
  /** Epoch milliseconds. */
  readonly start: number;
  readonly sentAt: number;
  /** null: not acknowledged yet. */
  acknowledgedAt: number | null;
}

export class Rows {
  readonly byId = new Map<string, SentRow>();

  send(row: SentRow): void {
    this.byId.set(row.id, row);
  }

  acknowledge(ids: readonly string[], at: number): void {
    for (const id of ids) {
      const row = this.byId.get(id);
      if (row !== undefined) row.acknowledgedAt ??= at;
    }
  }

  /** Rows of a half-open range of time. */
  within(start: number, end: number): readonly SentRow[] {
    return [...this.byId.values()].filter((row) => row.start >= start && row.start < end);
  }
}
