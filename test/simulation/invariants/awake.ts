import type { World } from "../kernel/world.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** Room for the instant itself, and the platform's longest pause between tries of its own. */
const SLACK_MS = 1000;
const PLATFORM_PAUSE_MS = 80_000;

/** Whoever has something to do is going to do it. */
export const awake: Invariant<World> = {
  name: "awake",
  promise:
    "An actor whose rules want to be woken, or whose outbox holds a message, has an alarm: not later than due, or than one retry delay from now.",
  watch: (world, violated) => {
    const retryDelayMs = Number(world.course.settings.RETRY_DELAY_MS);
    const hasMail = (actor: Actor) => actor.storage.rows("SELECT 1 FROM outbox LIMIT 1").length > 0;
    return {
      onTurn: (actor) => {
        if (!world.logs.has(actor) || actor.storage.isDirty || actor.clock.isRinging) return;
        const dueAt = world.logs.wakeAt(actor);
        if (dueAt === null && !hasMail(actor)) return;
        const { nextAt, isTryingAgain } = actor.clock;
        if (nextAt === null) return violated(`${actor.name} has work and sleeps for ever`);
        const latest = Math.max(world.kernel.now, dueAt ?? 0) + retryDelayMs + SLACK_MS;
        if (nextAt > latest + (isTryingAgain ? PLATFORM_PAUSE_MS : 0))
          violated(`${actor.name} has work and sleeps ${Math.round(nextAt - latest)} ms too long`);
      },
    };
  },
};
