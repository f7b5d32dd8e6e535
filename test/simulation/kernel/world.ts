import type { Env } from "../../../durable/protocol/env.ts";
import type { Invariant, Watch } from "../invariants/invariant.ts";
import { type Actor, Incarnation } from "../platform/actor.ts";
import { type ActorClass, Platform } from "../platform/platform.ts";
import { type Fault, Faults } from "./faults.ts";
import { enter, leave } from "./globals.ts";
import { Kernel } from "./kernel.ts";
import { type AnyLine, Logs } from "./logs.ts";
import { Trace } from "./trace.ts";

/** A world has some thousand events; one with more than this does not end. */
const MAX_EVENTS = 20_000;

/** The definition of a world of any kind. */
export interface Course {
  readonly seed: number;
  readonly startsAt: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly rates: ReadonlyMap<Fault, number>;
}

export interface Violation {
  readonly invariant: string;
  readonly seen: string;
}

/** One simulated world: a platform, its users, and the invariants that watch it. */
export abstract class World<Hooks extends Watch = Watch> {
  readonly course: Course;
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly platform: Platform;
  readonly logs = new Logs();
  /** Bindings and settings of a Worker outside of actors. */
  readonly env: Env;
  violation: Violation | null = null;
  protected watches: readonly Hooks[] = [];
  #unfinished = 0;

  constructor(course: Course, classes: Readonly<Record<string, ActorClass>>, print: ((line: string) => void) | null) {
    this.course = course;
    this.kernel = new Kernel(course.seed, course.startsAt, new Trace(print));
    this.faults = new Faults(course.rates, this.kernel.random);
    const watch = { onLogGrown: (actor: Actor) => this.#readLog(actor), onText: this.onText };
    this.platform = new Platform(this.kernel, this.faults, watch, classes, course.settings);
    this.env = this.platform.env(null) as unknown as Env; // bindings and settings, as wrangler.toml names them
  }

  /** All actions of users until the faults have stopped. */
  protected abstract script(): Promise<void>;

  /** The simulated internet. */
  protected abstract fetch(input: string, init: RequestInit): Promise<Response>;

  /** Starts the invariants. Must be called when the world is complete. */
  protected observe<W>(this: W & World<Hooks>, invariants: readonly Invariant<W, Hooks>[]): void {
    this.watches = invariants.map(({ name, watch }) => watch(this, (seen) => this.violate(name, seen)));
  }

  /** Runs the world to its end. Afterwards `violation` is the first violation, or null. */
  async live(): Promise<void> {
    const { kernel } = this;
    const onLogLine = (line: string) => {
      kernel.trace.note(`    ${line}`);
      this.onText(line, "the log");
    };
    enter({ kernel, fetch: (input, init) => this.fetch(input, init), onLogLine });
    try {
      this.follow(this.script());
      await kernel.run(() => this.#afterEvent());
      if (this.violation === null && this.#unfinished > 0)
        this.violate("at-rest", "a customer still waits for an answer");
    } finally {
      leave();
    }
    if (this.violation === null) for (const watch of this.watches) await watch.atRest?.();
    this.platform.close();
  }

  protected at(afterMs: number, act: () => Promise<void>): void {
    this.follow(this.kernel.sleep(afterMs, "the customer acts").then(act));
  }

  /** The world must not end before this script. */
  protected follow(script: Promise<void>): void {
    this.#unfinished += 1;
    script.then(
      () => {
        this.#unfinished -= 1;
      },
      (error: unknown) => this.violate("at-rest", `the customer's own program broke: ${error}`),
    );
  }

  protected readonly onText = (text: string, where: string): void => {
    for (const watch of this.watches) watch.onText?.(text, where);
  };

  /** A line has become durable. */
  protected onLine(line: AnyLine): void {
    for (const watch of this.watches) watch.onLine?.(line);
  }

  protected violate(invariant: string, seen: string): void {
    this.violation ??= { invariant, seen };
  }

  #afterEvent(): boolean {
    this.platform.endTurn();
    const { speaking } = this.kernel;
    if (speaking instanceof Incarnation) for (const watch of this.watches) watch.onTurn?.(speaking.actor);
    if (this.kernel.delivered > MAX_EVENTS) this.violate("at-rest", `the world did not end after ${MAX_EVENTS} events`);
    return this.violation === null;
  }

  #readLog(actor: Actor): void {
    for (const line of this.logs.read(actor)) this.onLine(line);
  }
}
