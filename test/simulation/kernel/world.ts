import type { Env } from "../../../durable/protocol/env.ts";
import type { Invariant, Watch } from "../invariants/invariant.ts";
import { type Actor, Incarnation } from "../platform/actor.ts";
import { type ActorClass, Platform } from "../platform/platform.ts";
import { type Fault, Faults } from "./faults.ts";
import { enter, leave } from "./globals.ts";
import { Kernel } from "./kernel.ts";
import { type AnyLine, Logs } from "./logs.ts";
import { Trace } from "./trace.ts";

/** A world has some thousand events; one that has so many goes round in circles. */
const MAX_EVENTS = 20_000;

/** What every world fixes before it begins. */
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

/** One seed, from the first event to the last: a platform, people who use it, and those who look on. */
export abstract class World<Looks extends Watch = Watch> {
  readonly course: Course;
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly platform: Platform;
  readonly logs = new Logs();
  /** Bindings and settings as a Worker outside of all actors has them. */
  readonly env: Env;
  violation: Violation | null = null;
  protected watches: readonly Looks[] = [];
  #unfinished = 0;

  constructor(course: Course, classes: Readonly<Record<string, ActorClass>>, print: ((line: string) => void) | null) {
    this.course = course;
    this.kernel = new Kernel(course.seed, course.startsAt, new Trace(print));
    this.faults = new Faults(course.rates, this.kernel.random);
    const watch = { onLogGrown: (actor: Actor) => this.#readLog(actor), onText: this.onText };
    this.platform = new Platform(this.kernel, this.faults, watch, classes, course.settings);
    this.env = this.platform.env(null) as unknown as Env; // bindings and settings, as wrangler.toml names them
  }

  /** Everything that people do, until faults have stopped. */
  protected abstract script(): Promise<void>;

  /** The internet as the product meets it. */
  protected abstract fetch(input: string, init: RequestInit): Promise<Response>;

  /** Once all that they look at is there. */
  protected observe<W>(this: W & World<Looks>, invariants: readonly Invariant<W, Looks>[]): void {
    this.watches = invariants.map(({ name, watch }) => watch(this, (seen) => this.violate(name, seen)));
  }

  /** Lives through everything. Afterwards `violation` says what went wrong, or null. */
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

  /** The world is not over before the script is. */
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
    if (this.kernel.delivered > MAX_EVENTS) this.violate("at-rest", `${MAX_EVENTS} events and no end`);
    return this.violation === null;
  }

  #readLog(actor: Actor): void {
    for (const line of this.logs.read(actor)) this.onLine(line);
  }
}
