import type { Faults } from "../kernel/faults.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Actor, Incarnation } from "./actor.ts";
import { callsFrom } from "./network.ts";
import { SegmentBucket } from "./segment-bucket.ts";

/** Callbacks of the platform. */
export interface PlatformWatch {
  /** Events were durably appended to the actor's log. */
  onLogGrown(actor: Actor): void;
  /** A text is stored, sent or logged. */
  onText(text: string, where: string): void;
}

/** The class of an actor, which wrangler.toml binds to a name. */
export type ActorClass = new (context: never, env: never) => object;

/** Classes of actors by the names of their bindings in wrangler.toml. */
export type Bindings = Readonly<Record<string, ActorClass>>;

/** The simulated Cloudflare platform: objects by name, calls between them, their storage and alarms, and R2. */
export class Platform {
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly watch: PlatformWatch;
  readonly segments: SegmentBucket;
  readonly actors = new Map<string, Actor>();
  readonly #bindings: Bindings;
  readonly #settings: Readonly<Record<string, string>>;

  constructor(
    kernel: Kernel,
    faults: Faults,
    watch: PlatformWatch,
    bindings: Bindings,
    settings: Readonly<Record<string, string>>,
  ) {
    this.kernel = kernel;
    this.faults = faults;
    this.watch = watch;
    this.segments = new SegmentBucket(this);
    this.#bindings = bindings;
    this.#settings = settings;
  }

  /** `env` of an incarnation; null: of a Worker outside of actors. */
  env(caller: Incarnation | null): Readonly<Record<string, unknown>> {
    const namespaces = Object.keys(this.#bindings).map((binding) => [
      binding,
      { getByName: (name: string) => callsFrom(this, caller, this.#actor(binding, name)) },
    ]);
    return { ...this.#settings, ...Object.fromEntries(namespaces), SEGMENTS: this.segments.seenBy(caller) };
  }

  construct(incarnation: Incarnation): Readonly<Record<string, unknown>> {
    const { actor } = incarnation;
    const Class = this.#bindings[actor.className];
    if (Class === undefined) throw new Error(`nothing is bound as ${actor.className}`);
    const context = { id: { name: actor.name }, storage: actor.storage.api };
    return new Class(context as never, this.env(incarnation) as never) as Readonly<Record<string, unknown>>;
  }

  /** Called after each event. */
  endTurn(): void {
    const { speaking } = this.kernel;
    if (speaking instanceof Incarnation && speaking.isAlive) speaking.actor.endTurn();
  }

  /** Crashes all actors, as a deployment or a failing machine does. */
  restart(): void {
    this.faults.count("restart");
    for (const actor of this.actors.values()) actor.crash();
  }

  close(): void {
    for (const actor of this.actors.values()) actor.storage.close();
  }

  #actor(binding: string, name: string): Actor {
    const known = this.actors.get(name);
    if (known !== undefined) return known;
    const actor = new Actor(this, binding, name);
    this.actors.set(name, actor);
    return actor;
  }
}
