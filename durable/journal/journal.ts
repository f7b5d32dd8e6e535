import type { Decider, Decision } from "../../src/domain/shared/decider.ts";
import type { EventPage, EventQuery, Logged, Moment } from "../../src/domain/shared/history.ts";
import { setAlarmAt } from "./alarm.ts";
import { EventLog } from "./event-log.ts";
import { type Delivery, Outbox } from "./outbox.ts";
import { isEmpty, migrate } from "./schema.ts";

/** Work that is done at once has ended by then, as a rule, so that its alarm finds nothing left to do. */
const ACT_WITHIN_MS = 1000;

/** What an actor's journal needs: its rules, the messages that events make due, and how old events are read. */
export interface EventSourcing<S, C, E, M> extends Delivery<M> {
  readonly decider: Decider<S, C, E>;
  /** The messages that an event makes due. `after`: the state with the event in it. Never throws. */
  announce(event: E, after: S, seq: number): readonly M[];
  /**
   * Converts an event that an older version wrote to the present shape. Absent: all versions wrote the present shape.
   */
  upcast?(event: { readonly type: string }): E;
}

/** For an actor that sends no messages. */
export const withoutOutbox = <S, C, E>(decider: Decider<S, C, E>): EventSourcing<S, C, E, never> => ({
  decider,
  announce: () => [],
  partitionKey: (message) => message,
  supersedes: (message) => message,
});

/**
 * An actor's history: its log of events, their fold, its outbox and its one alarm. Events and the messages that they
 * make due are stored in one transaction. The alarm does all work that is due. A shell may do it at once (see
 * turn-queue.ts); the alarm then does what an ended process left undone.
 */
export class Journal<S, C extends { readonly now: number }, E extends { readonly type: string }, M> {
  readonly #storage: DurableObjectStorage;
  readonly #rules: EventSourcing<S, C, E, M>;
  readonly #log: EventLog<E>;
  readonly #outbox: Outbox<M>;
  #state: S;
  /** Number of the last event; 0: there is none. */
  #seq = 0;
  /** Whether the tables exist. */
  #isKept: boolean;
  /** Where this process has put the alarm; null: nowhere. */
  #alarmAt: number | null = null;

  constructor(storage: DurableObjectStorage, rules: EventSourcing<S, C, E, M>) {
    const isKept = () => this.#isKept;
    this.#storage = storage;
    this.#rules = rules;
    this.#log = new EventLog(storage, isKept, rules.upcast);
    this.#outbox = new Outbox(storage, isKept, rules);
    this.#state = rules.decider.initialState;
    this.#isKept = !isEmpty(storage);
    if (this.#isKept) migrate(storage);
    for (const { seq, event } of this.events()) {
      this.#state = rules.decider.evolve(this.#state, event);
      this.#seq = seq;
    }
  }

  get state(): S {
    return this.#state;
  }

  /** Events after the one numbered `after`, oldest first. */
  events(after = 0): Generator<Logged<E>> {
    return this.#log.after(after);
  }

  /** A page of the log, as much as a message between actors holds. `isOver`: no further event can follow. */
  page(query: EventQuery, isOver: boolean): EventPage<E> {
    return this.#log.page(query, isOver);
  }

  /** The state as it was at a moment of the past; null: the event has not happened. */
  stateAsOf(moment: Moment): S | null {
    if (moment.kind === "event" && moment.seq > this.#seq) return null;
    const { decider } = this.#rules;
    let state = decider.initialState;
    for (const { seq, at, event } of this.events()) {
      if (moment.kind === "event" ? seq > moment.seq : at > moment.at) break;
      state = decider.evolve(state, event);
    }
    return state;
  }

  /** Whether a message waits, or the state asks for work by now. */
  isDue(now: number): boolean {
    const wakeAt = this.#wakeAt(this.#state, now);
    return wakeAt !== null && wakeAt <= now;
  }

  /**
   * Decides, appends, announces and schedules in one synchronous turn: no await, so nothing can interleave. A refused
   * command appends nothing.
   */
  submit(command: C): Decision<E> {
    const { now } = command;
    return this.#submit(command, (wakeAt) => {
      // Each move of an alarm is a write to disk; an alarm that is due already need not be moved.
      const isToMove = wakeAt === null || wakeAt > now || this.#alarmAt === null || this.#alarmAt > now;
      return isToMove ? this.#moveAlarm(wakeAt) : this.#alarmAt;
    });
  }

  /**
   * As `submit`, for a shell that does the due work at once and then calls `leave`. If the process dies, the alarm
   * comes a little later. An earlier alarm is not moved.
   */
  submitAndAct(command: C): Decision<E> {
    const { now } = command;
    return this.#submit(command, (wakeAt) => this.#bringForward(wakeAt, now, now + ACT_WITHIN_MS));
  }

  /** First line of `alarm()`: even if this process dies, the actor wakes again at that instant. */
  armRecovery(at: number): void {
    this.#alarmAt = this.#moveAlarm(at);
  }

  /** Last line of `alarm()`: puts the alarm where the state wants it. `outboxAt`: when to retry waiting messages. */
  settle(outboxAt: number): void {
    this.#alarmAt = this.#moveAlarm(this.#wakeAt(this.#state, outboxAt));
  }

  /**
   * Last line of work after `submitAndAct`. An alarm is deleted when nothing is left to do, and never moved back: that is
   * a write to disk, and an alarm that comes too early settles itself.
   */
  leave(now: number, outboxAt: number): void {
    const wakeAt = this.#wakeAt(this.#state, outboxAt);
    this.#alarmAt = wakeAt === null ? this.#moveAlarm(null) : this.#bringForward(wakeAt, now, now);
  }

  /** Delivers the waiting messages (see outbox.ts). Returns whether none is left. */
  flush(deliver: (message: M) => Promise<void>): Promise<boolean> {
    return this.#outbox.flush(deliver);
  }

  #submit(command: C, schedule: (wakeAt: number | null) => number | null): Decision<E> {
    const { now } = command;
    const { decider, announce } = this.#rules;
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
        this.#log.append(seq, now, event);
        for (const message of announce(event, state, seq)) this.#outbox.post(message);
      }
      alarmAt = schedule(this.#wakeAt(state, now));
    });
    this.#alarmAt = alarmAt;
    this.#state = state;
    this.#seq = seq;
    return decided;
  }

  /** `dueAt`: where to put the alarm for work that is due by now. */
  #bringForward(wakeAt: number | null, now: number, dueAt: number): number | null {
    if (wakeAt === null) return this.#alarmAt;
    const at = wakeAt <= now ? dueAt : wakeAt;
    return this.#alarmAt === null || at < this.#alarmAt ? this.#moveAlarm(at) : this.#alarmAt;
  }

  #wakeAt(state: S, outboxAt: number): number | null {
    const due = this.#rules.decider.wakeAt(state);
    return this.#outbox.isEmpty() ? due : Math.min(outboxAt, due ?? outboxAt);
  }

  #moveAlarm(at: number | null): number | null {
    void (at === null ? this.#storage.deleteAlarm() : setAlarmAt(this.#storage, at));
    return at;
  }
}
