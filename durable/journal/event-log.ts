import type { EventPage, EventQuery, Logged } from "../../src/domain/shared/history.ts";
import { BATCH_CHARACTERS } from "../protocol/list-batch.ts";

/**
 * Longest body of one event. The platform refuses rows above 2 MB, and only when deployed (Cloudflare: Durable Objects
 * limits); ours is lower, so that the fold of a log needs little memory.
 */
export const MAX_EVENT_BYTES = 256 * 1024;

const ENCODER = new TextEncoder();

/** The append-only table of an actor's events. Its table exists once the actor has an event (see schema.ts). */
export class EventLog<E extends { readonly type: string }> {
  readonly #storage: DurableObjectStorage;
  readonly #isKept: () => boolean;
  readonly #upcast: (event: { readonly type: string }) => E;

  constructor(
    storage: DurableObjectStorage,
    isKept: () => boolean,
    upcast: (event: { readonly type: string }) => E = (event) => event as E, // as it was appended
  ) {
    this.#storage = storage;
    this.#isKept = isKept;
    this.#upcast = upcast;
  }

  append(seq: number, at: number, event: E): void {
    const body = JSON.stringify(event);
    const bytes = ENCODER.encode(body).byteLength;
    if (bytes > MAX_EVENT_BYTES) throw new Error(`event ${event.type} has ${bytes} bytes, over ${MAX_EVENT_BYTES}`);
    this.#storage.sql.exec("INSERT INTO event (seq, at, type, body) VALUES (?, ?, ?, ?)", seq, at, event.type, body);
  }

  /** Events after the one numbered `seq`, oldest first. */
  *after(seq: number): Generator<Logged<E>> {
    if (!this.#isKept()) return;
    const query = "SELECT seq, at, body FROM event WHERE seq > ? ORDER BY seq";
    for (const row of this.#storage.sql.exec<{ seq: number; at: number; body: string }>(query, seq))
      yield { seq: row.seq, at: row.at, event: this.#upcast(JSON.parse(row.body)) };
  }

  /** A page of the log, as much as a message between actors holds. `isOver`: no further event can follow. */
  page({ after, limit }: EventQuery, isOver: boolean): EventPage<E> {
    const events: Logged<E>[] = [];
    let characters = 0;
    for (const logged of this.after(after)) {
      const last = events.at(-1);
      if (last !== undefined && (events.length === limit || characters >= BATCH_CHARACTERS))
        return { events, nextAfter: last.seq, isOver };
      events.push(logged);
      characters += JSON.stringify(logged.event).length;
    }
    return { events, nextAfter: null, isOver };
  }
}
