import { EventQueue, type PlannedEvent } from "./event-queue.ts";
import { Random } from "./random.ts";
import type { Trace } from "./trace.ts";

/** Whoever is at work: an incarnation of an actor. Nothing reaches one that is not alive any more. */
export interface Speaker {
  readonly isAlive: boolean;
}

/** Captured before the simulation puts its own timers in place. */
const afterMicrotasks = setImmediate;

/**
 * Time, dice and the one queue of everything that will happen. Each event runs alone, with all that follows from it
 * without waiting; only then is the next one chosen. So whoever an event was delivered to is who speaks until it ends.
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

  /** Does `act` after a while. With a speaker: in its name, and only if it still lives then. */
  plan(delayMs: number, label: string, act: () => void, speaker: Speaker | null = null): PlannedEvent {
    const at = this.now + Math.max(0, delayMs);
    // Of two events at the same instant, dice say which is first.
    const event = { at, tie: this.random.fraction(), label, act, speaker, isCancelled: false };
    this.#queue.add(event);
    return event;
  }

  /** Resolves after a while; for those outside of the platform. */
  sleep(delayMs: number, label: string): Promise<void> {
    return new Promise((resolve) => {
      this.plan(delayMs, label, resolve);
    });
  }

  /** Delivers events until none is left, or `goOn`, asked after each, says no. */
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
