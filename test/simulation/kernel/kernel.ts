import { EventQueue, type PlannedEvent } from "./event-queue.ts";
import { Random } from "./random.ts";
import type { Trace } from "./trace.ts";

/** The owner of an event: an incarnation of an actor. Events of one that is not alive are dropped. */
export interface Speaker {
  readonly isAlive: boolean;
}

/** Captured before the simulation replaces the timers. */
const afterMicrotasks = setImmediate;

/**
 * Simulated time, random numbers, and the queue of all future events. Each event runs with its microtasks before the next
 * event is chosen. `speaking` is the owner of the running event.
 */
export class Kernel {
  readonly random: Random;
  readonly trace: Trace;
  /** Epoch milliseconds, with fractions. */
  now: number;
  speaking: Speaker | null = null;
  delivered = 0;
  readonly #queue = new EventQueue();

  constructor(seed: number, startsAt: number, trace: Trace) {
    this.random = new Random(seed);
    this.now = startsAt;
    this.trace = trace;
  }

  /** Plans `act` after a delay. With an owner, it runs only if the owner is still alive. */
  plan(delayMs: number, label: string, act: () => void, speaker: Speaker | null = null): PlannedEvent {
    const at = this.now + Math.max(0, delayMs);
    // The order of events at the same instant is random.
    const event = { at, tie: this.random.fraction(), label, act, speaker, isCancelled: false };
    this.#queue.add(event);
    return event;
  }

  /** Resolves after a delay; for code outside of actors. */
  sleep(delayMs: number, label: string): Promise<void> {
    return new Promise((resolve) => {
      this.plan(delayMs, label, resolve);
    });
  }

  /** Delivers events until none is left, or until `goOn`, which is called after each event, returns false. */
  async run(goOn: () => boolean): Promise<void> {
    for (let event = this.#queue.take(); event !== null; event = this.#queue.take()) {
      if (event.isCancelled || (event.speaker !== null && !event.speaker.isAlive)) continue;
      this.now = Math.max(this.now, event.at);
      this.delivered += 1;
      this.trace.add(this.now, event.label);
      this.speaking = event.speaker;
      event.act();
      await new Promise((resolve) => afterMicrotasks(resolve));
      if (!goOn()) return;
      this.speaking = null;
    }
  }
}
