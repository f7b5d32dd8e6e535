import type { Speaker } from "../kernel/kernel.ts";
import { AlarmClock } from "./alarm-clock.ts";
import type { Platform } from "./platform.ts";
import { Storage } from "./storage.ts";

/** A call. The first of `answer` and `fail` counts. */
export interface Call {
  readonly method: string;
  readonly parameters: readonly unknown[];
  readonly answer: (value: unknown) => void;
  readonly fail: (message: string) => void;
}

/** One instance of an actor in memory. Its calls and answers wait until its writes are durable (output gate). */
export class Incarnation implements Speaker {
  readonly actor: Actor;
  isAlive = true;
  /** Calls that are not answered yet. */
  readonly calls = new Set<Call>();
  /** Arrival of its last call to each actor; later calls arrive later. */
  readonly arrivals = new Map<Actor, number>();
  /** Number of its own calls that wait for an answer. */
  waitsFor = 0;
  #held: (() => void)[] = [];
  instance: Readonly<Record<string, unknown>> = {};

  constructor(actor: Actor) {
    this.actor = actor;
  }

  send(leave: () => void): void {
    this.#held.push(leave);
  }

  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const leave of held) leave();
  }

  invoke(method: string, parameters: readonly unknown[]): Promise<unknown> {
    const body = this.instance[method];
    if (typeof body !== "function") return Promise.reject(new TypeError(`there is no method ${method}`));
    return Promise.resolve(Reflect.apply(body, this.instance, parameters));
  }

  get isIdle(): boolean {
    return this.calls.size === 0 && this.waitsFor === 0 && !this.actor.clock.isRinging && !this.actor.storage.isDirty;
  }
}

/** One Durable Object: its storage, its alarm, and its current incarnation if there is one. */
export class Actor {
  readonly name: string;
  readonly className: string;
  readonly storage: Storage;
  readonly clock: AlarmClock;
  readonly #platform: Platform;
  #incarnation: Incarnation | null = null;
  #commit: "none" | "under_way" | "due" = "none";
  deaths = 0;

  constructor(platform: Platform, className: string, name: string) {
    this.#platform = platform;
    this.className = className;
    this.name = name;
    this.storage = new Storage({ onText: (text) => platform.watch.onText(text, `the storage of ${name}`) });
    this.clock = new AlarmClock(platform.kernel, platform.faults, this);
  }

  get durableAlarmAt(): number | null {
    return this.storage.durableAlarmAt;
  }

  receive(call: Call): void {
    const incarnation = this.#wake();
    incarnation.calls.add(call);
    const told = (tell: () => void) =>
      incarnation.send(() => {
        incarnation.calls.delete(call);
        tell();
      });
    incarnation.invoke(call.method, call.parameters).then(
      (value) => told(() => call.answer(value)),
      (error: unknown) => told(() => call.fail(String(error))),
    );
  }

  ring(): void {
    const incarnation = this.#wake();
    this.storage.takeAlarm();
    incarnation.invoke("alarm", [{ retryCount: 0, isRetry: false }]).then(
      () => incarnation.send(() => this.clock.ended("well")),
      () => incarnation.send(() => this.clock.ended("badly")),
    );
  }

  /** Called after each event of the actor: commits, releases calls, and injects crashes. */
  endTurn(): void {
    const { faults, kernel } = this.#platform;
    const incarnation = this.#incarnation;
    if (incarnation === null) return;
    if (faults.occurs("crash_before_commit")) {
      this.crash();
      return;
    }
    if (this.storage.isDirty && this.#commit !== "due") {
      if (this.#commit === "under_way") return;
      if (faults.occurs("slow_commit")) {
        this.#commit = "under_way";
        const isDue = () => {
          this.#commit = "due";
        };
        kernel.plan(kernel.random.between(1, 500), `commit ${this.name}`, isDue, incarnation);
        return;
      }
    }
    this.#makeDurable();
    incarnation.release();
    if (faults.occurs("crash_after_commit")) this.crash();
    else if (incarnation.isIdle && faults.occurs("eviction")) this.#forget();
  }

  crash(): void {
    const incarnation = this.#incarnation;
    if (incarnation === null) return;
    this.deaths += 1;
    this.storage.rollBack();
    this.#forget();
    this.#platform.kernel.trace.note(`    ${this.name} dies`);
    for (const call of incarnation.calls) call.fail("Durable Object reset.");
    if (this.clock.isRinging) this.clock.ended("badly");
  }

  #forget(): void {
    if (this.#incarnation !== null) this.#incarnation.isAlive = false;
    this.#incarnation = null;
    this.#commit = "none";
  }

  #makeDurable(): void {
    this.#commit = "none";
    if (!this.storage.isDirty) return;
    const { hasNewEvents, isAlarmWritten } = this.storage.commit();
    if (isAlarmWritten) this.clock.set(this.storage.durableAlarmAt);
    if (hasNewEvents) this.#platform.watch.onLogGrown(this);
  }

  #wake(): Incarnation {
    const incarnation = this.#incarnation ?? new Incarnation(this);
    this.#platform.kernel.speaking = incarnation;
    if (this.#incarnation === null) {
      this.#incarnation = incarnation;
      incarnation.instance = this.#platform.construct(incarnation);
    }
    return incarnation;
  }
}
