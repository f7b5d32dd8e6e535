/** What can be asked of a log of events that only grows. */

/** An event in the log: its place, the first one having 1, and the instant (epoch milliseconds) of its recording. */
export interface Logged<E> {
  readonly seq: number;
  readonly at: number;
  readonly event: E;
}

/** Events behind the one with the number `after` (0: from the first on), at most `limit` of them. */
export interface EventQuery {
  readonly after: number;
  readonly limit: number;
}

export interface EventPage<E> {
  /** Oldest first. */
  readonly events: readonly Logged<E>[];
  /** What to ask for next as `after`; null: these were the last ones so far. */
  readonly nextAfter: number | null;
  /** Whether the log has come to its end: no further event will follow. */
  readonly isOver: boolean;
}

/** A moment in the life of a record: right after an event, or an instant (epoch milliseconds). */
export type Moment =
  | { readonly kind: "event"; readonly seq: number }
  | { readonly kind: "instant"; readonly at: number };
