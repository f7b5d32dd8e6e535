import type { Refusal } from "./failures.ts";
import { isoFromMs } from "./time.ts";

/** Queries of an append-only log of events. */

/** An event in the log: its number, from 1 on, and the instant (epoch milliseconds) at which it was recorded. */
export interface Logged<E> {
  readonly seq: number;
  readonly at: number;
  readonly event: E;
}

/** Events after the one numbered `after` (0: from the first on), at most `limit` of them. */
export interface EventQuery {
  readonly after: number;
  readonly limit: number;
}

export interface EventPage<E> {
  /** Oldest first. */
  readonly events: readonly Logged<E>[];
  /** `after` of the next query; null: these were the last events so far. */
  readonly nextAfter: number | null;
  /** Whether the log is complete: no further event will follow. */
  readonly isOver: boolean;
}

/** A moment in the life of a record: right after an event, or an instant (epoch milliseconds). */
export type Moment =
  | { readonly kind: "event"; readonly seq: number }
  | { readonly kind: "instant"; readonly at: number };

/** Why a record cannot be shown as it was at that moment: it did not exist yet, or the event has not happened. */
export const refuseMoment = (what: "export" | "run", moment: Moment): Refusal => ({
  reason: "not_found_then",
  message:
    moment.kind === "event"
      ? `The ${what} has no event ${moment.seq}; its events are listed under /events.`
      : `There was no such ${what} at ${isoFromMs(moment.at)} yet; it came later.`,
});
