/** A row that the customer sent. Exports are compared with these rows. */
export interface SentRow extends Sent {
  readonly id: string;
  /** Epoch microseconds. */
  readonly start: number;
  /** Null: none was sent. A row gets each at most once, so its content does not depend on their order. */
  patch: Sent | null;
  feedback: Sent | null;
}

/** A request of the customer. */
export interface Sent {
  /** Null: not sent yet. */
  sentAt: number | null;
  /** Null: not acknowledged yet. */
  acknowledgedAt: number | null;
}

export class Rows {
  readonly byId = new Map<string, SentRow>();

  add(row: SentRow): void {
    this.byId.set(row.id, row);
  }

  /** Rows of a half-open range of time. */
  within(start: number, end: number): readonly SentRow[] {
    return [...this.byId.values()].filter((row) => row.start >= start && row.start < end);
  }
}

/** Content of the fields that a row is sent with, and of those that its patch and its feedback give it. */
export const contentOf = (id: string) => ({
  inputs: `{"row":"${id}"}`,
  posted: { extra: `{"of":"the post of ${id}"}` },
  patched: { extra: `{"of":"the patch of ${id}"}`, outputs: `{"answer":"${id}"}` },
  feedbackKey: `liked-${id.slice(0, 4)}`,
});
