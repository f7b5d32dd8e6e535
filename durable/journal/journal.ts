import type { Decider, Decision } from "../../src/domain/shared/decider.ts";
import type { EventPage, EventQuery, Logged, Moment } from "../../src/domain/shared/history.ts";
import { BATCH_CHARACTERS } from "../protocol/list-batch.ts";
import { isEmpty, migrate } from "./schema.ts";

/**
 * Longest body of one event. The platform refuses rows above 2 MB, and only when deployed
 * (Cloudflare: Durable Objects limits); ours is lower so that a fold never meets a giant.
 */
export const MAX_EVENT_BYTES = 256 * 1024;

/**
 * Work that an actor does at once is over by then, as a rule, so that no alarm comes for it; if it was cut off, nobody
 * notices so short a pause.
 */
const ACT_WITHIN_MS = 1000;

const ENCODER = new TextEncoder();

/** How a log speaks: its rules, what its events make it tell other actors, and how old events are read. */
export interface EventSourcing<S, C, E, M> {
  readonly decider: Decider<S, C, E>;
  /** Messages that an event makes due. `after` is the state with the event in it. */
  announce(event: E, after: S, seq: number): readonly M[];
  /** Names the actor a message is for: messages to one receiver keep their order, and wait for no other receiver. */
  partitionKey(message: M): string;
  /** Whether a message tells the whole state of affairs, so that the next such one to the same receiver replaces it. */
  supersedes(message: M): boolean;
  /** Lifts an event as an older version wrote it to today's shape. */
  upcast(event: { readonly type: string }): E;
}

/** A message in the outbox. */
interface Waiting<M> {
  readonly id: number;
  readonly message: M;
}

/** The script of an actor that tells nobody anything, and none of whose events has changed its shape yet. */
export const withoutOutbox = <S, C, E>(decider: Decider<S, C, E>): EventSourcing<S, C, E, never> => ({
  decider,
  announce: () => [],
  partitionKey: (message) => message,
  supersedes: (message) => message,
  upcast: (event) => event as E, // as it was appended
});

/**
 * One actor's history: an append-only table, its fold, its outbox and its single alarm. What an event makes due to
 * others is written in the same transaction, delivered at least once, and forgotten when delivered. The alarm sees to
 * it that whatever is due is done; a shell may do it at once, and leave to the alarm what dies on the way.
 */
export class Journal<S, C extends { readonly now: number }, E extends { readonly type: string }, M> {
  readonly #storage: DurableObjectStorage;
  readonly #script: EventSourcing<S, C, E, M>;
  #state: S;
  #seq = 0;
  #isKept: boolean;
  /** Where this process has put the alarm; null: nowhere. */
  #alarmAt: number | null = null;

  constructor(storage: DurableObjectStorage, script: EventSourcing<S, C, E, M>) {
    this.#storage = storage;
    this.#script = script;
    this.#state = script.decider.initialState;
    this.#isKept = !isEmpty(storage);
    if (this.#isKept) migrate(storage);
    for (const { seq, event } of this.events()) {
      this.#state = script.decider.evolve(this.#state, event);
      this.#seq = seq;
    }
  }

  get state(): S {
    return this.#state;
  }

  /** Events behind the one numbered `after`, oldest first. */
  *events(after = 0): Generator<Logged<E>> {
    if (!this.#isKept) return;
    const rows = this.#storage.sql.exec<{ seq: number; at: number; body: string }>(
      "SELECT seq, at, body FROM event WHERE seq > ? ORDER BY seq",
      after,
    );
    for (const { seq, at, body } of rows) yield { seq, at, event: this.#script.upcast(JSON.parse(body)) };
  }

  /** Some events in their order. The log is over when it can grow no more, which its owner knows. */
  page({ after, limit }: EventQuery, isOver: boolean): EventPage<E> {
    const events: Logged<E>[] = [];
    let characters = 0;
    for (const logged of this.events(after)) {
      const last = events.at(-1);
      if (last !== undefined && (events.length === limit || characters >= BATCH_CHARACTERS))
        return { events, nextAfter: last.seq, isOver };
      events.push(logged);
      characters += JSON.stringify(logged.event).length;
    }
    return { events, nextAfter: null, isOver };
  }

  /** The state as it was at a moment of the past; null when the event asked for has not happened. */
  stateAsOf(moment: Moment): S | null {
    if (moment.kind === "event" && moment.seq > this.#seq) return null;
    const { decider } = this.#script;
    let state = decider.initialState;
    for (const { seq, at, event } of this.events()) {
      if (moment.kind === "event" ? seq > moment.seq : at > moment.at) break;
      state = decider.evolve(state, event);
    }
    return state;
  }

  /** Whether a message waits or the state wants something done by now. */
  isDue(now: number): boolean {
    const wantedAt = this.#wantedAt(this.#state, now);
    return wantedAt !== null && wantedAt <= now;
  }

  /**
   * Decide, append, announce and schedule in one synchronous turn: no await, so nothing can interleave. A refused
   * command appends nothing.
   */
  submit(command: C): Decision<E> {
    const { now } = command;
    return this.#submit(command, (wantedAt) => {
      // Each move of an alarm is a write to disk of its own; one that is due already need not be due again.
      const isToMove = wantedAt === null || wantedAt > now || this.#alarmAt === null || this.#alarmAt > now;
      return isToMove ? this.#moveAlarm(wantedAt) : this.#alarmAt;
    });
  }

  /**
   * The same for a shell that does at once whatever is due, and then ends with `leave`: the alarm comes for it only
   * after a while, should the process die. One that comes earlier is left where it is.
   */
  submitAndAct(command: C): Decision<E> {
    const { now } = command;
    return this.#submit(command, (wantedAt) => this.#bringForward(wantedAt, now, now + ACT_WITHIN_MS));
  }

  /** `dueAt`: when it is to come for what is due by now. */
  #bringForward(wantedAt: number | null, now: number, dueAt: number): number | null {
    if (wantedAt === null) return this.#alarmAt;
    const at = wantedAt <= now ? dueAt : wantedAt;
    return this.#alarmAt === null || at < this.#alarmAt ? this.#moveAlarm(at) : this.#alarmAt;
  }

  #submit(command: C, schedule: (wantedAt: number | null) => number | null): Decision<E> {
    const { now } = command;
    const { decider } = this.#script;
    const decided = decider.decide(command, this.#state);
    if (!decided.ok || decided.value.length === 0) return decided;
    if (!this.#isKept) migrate(this.#storage);
    this.#isKept = true;
    let state = this.#state;
    let seq = this.#seq;
    let alarmAt = this.#alarmAt;
    this.#storage.transactionSync(() => {
      for (const event of decided.value) {
        seq += 1;
        state = decider.evolve(state, event);
        this.#append(seq, now, event);
        for (const message of this.#script.announce(event, state, seq)) this.#post(message);
      }
      alarmAt = schedule(this.#wantedAt(state, now));
    });
    this.#alarmAt = alarmAt;
    this.#state = state;
    this.#seq = seq;
    return decided;
  }

  /**
   * First line of `alarm()`: whatever happens to this process now, the actor wakes again after one fixed delay,
   * instead of the platform's six tries and silence.
   */
  armRecovery(at: number): void {
    this.#alarmAt = this.#moveAlarm(at);
  }

  /**
   * Last line of `alarm()`: puts the alarm where the state wants it, and no later than `outboxAt` while messages
   * wait: an unreachable receiver is tried again then, not at once.
   */
  settle(outboxAt: number): void {
    this.#alarmAt = this.#moveAlarm(this.#wantedAt(this.#state, outboxAt));
  }

  /**
   * Last line of work that was done outside of `alarm()`, after `submitAndAct`. An alarm that comes too early settles
   * itself, and to move it later is a write to disk; only where nothing is wanted any more it is taken away.
   */
  leave(now: number, outboxAt: number): void {
    const wantedAt = this.#wantedAt(this.#state, outboxAt);
    this.#alarmAt = wantedAt === null ? this.#moveAlarm(null) : this.#bringForward(wantedAt, now, now);
  }

  /**
   * Hands every waiting message to `deliver`, those too that come in meanwhile, and forgets what arrived. Messages to
   * one receiver keep their order, and wait for no other receiver. One that cannot be delivered stays for the next
   * alarm, and so do later ones to the same receiver; one that a later one replaces is not sent. Returns whether the
   * outbox is empty.
   */
  async flush(deliver: (message: M) => Promise<void>): Promise<boolean> {
    const outOfReach = new Set<string>();
    let last = 0;
    for (let round = [...this.#waitingAfter(last)]; round.length > 0; round = [...this.#waitingAfter(last)]) {
      last = round.at(-1)?.id ?? last;
      const arrived: number[] = [];
      const lanes = Map.groupBy(round, ({ message }) => this.#script.partitionKey(message));
      const lane = async ([receiver, waiting]: [string, readonly Waiting<M>[]]) => {
        for (const { id, message } of waiting) {
          if (outOfReach.has(receiver)) return;
          try {
            if (!this.#isReplaced(id, message)) await deliver(message);
            arrived.push(id);
          } catch {
            outOfReach.add(receiver); // the log keeps the message
          }
        }
      };
      await Promise.all([...lanes].map(lane));
      this.#forget(arrived);
    }
    return !this.#isAnyWaiting();
  }

  /** One write for all: each makes what the actor sends next wait for the disk. */
  #forget(ids: readonly number[]): void {
    if (ids.length === 0) return;
    this.#storage.sql.exec("DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  }

  #append(seq: number, at: number, event: E): void {
    const body = JSON.stringify(event);
    const bytes = ENCODER.encode(body).byteLength;
    if (bytes > MAX_EVENT_BYTES) throw new Error(`event ${event.type} has ${bytes} bytes, over ${MAX_EVENT_BYTES}`);
    this.#storage.sql.exec("INSERT INTO event (seq, at, type, body) VALUES (?, ?, ?, ?)", seq, at, event.type, body);
  }

  #post(message: M): void {
    this.#storage.sql.exec("INSERT INTO outbox (body) VALUES (?)", JSON.stringify(message));
  }

  #wantedAt(state: S, outboxAt: number): number | null {
    const due = this.#script.decider.wakeAt(state);
    return this.#isAnyWaiting() ? Math.min(outboxAt, due ?? outboxAt) : due;
  }

  #moveAlarm(at: number | null): number | null {
    void (at === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at));
    return at;
  }

  #isReplaced(id: number, message: M): boolean {
    const { partitionKey, supersedes } = this.#script;
    if (!supersedes(message)) return false;
    for (const { message: later } of this.#waitingAfter(id))
      if (supersedes(later) && partitionKey(later) === partitionKey(message)) return true;
    return false;
  }

  /** The messages behind that one, oldest first. */
  *#waitingAfter(id: number): Generator<Waiting<M>> {
    if (!this.#isKept) return;
    const query = "SELECT id, body FROM outbox WHERE id > ? ORDER BY id";
    for (const row of this.#storage.sql.exec<{ id: number; body: string }>(query, id))
      yield { id: row.id, message: JSON.parse(row.body) };
  }

  #isAnyWaiting(): boolean {
    return this.#isKept && this.#storage.sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length > 0;
  }
}
