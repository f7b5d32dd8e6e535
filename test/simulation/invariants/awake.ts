import type { World } from "../kernel/world.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** Tolerance, and the longest delay between the platform's own retries of an alarm. */
const SLACK_MS = 1000;
const PLATFORM_PAUSE_MS = 80_000;

/** An actor with pending work has an alarm. */
export const awake: Invariant<World> = {
  name: "awake",
  promise:
    "An actor with a due time or a message in its outbox has an alarm, at most one retry delay after the due time or after now.",
  watch: (world, violated) => {
    const retryDelayMs = Number(world.course.settings.RETRY_DELAY_MS);
    const hasMessages = (actor: Actor) => actor.storage.rows("SELECT 1 FROM outbox LIMIT 1").length > 0;
    return {
      onTurn: (actor) => {
        if (!world.logs.has(actor) || actor.storage.isDirty || actor.clock.isRinging) return;
        const dueAt = world.logs.wakeAt(actor);
        if (dueAt === null && !hasMessages(actor)) return;
        const { nextAt, isTryingAgain } = actor.clock;
        if (nextAt === null) return violated(`${actor.name} has work and no alarm`);
        const latest = Math.max(world.kernel.now, dueAt ?? 0) + retryDelayMs + SLACK_MS;
        if (nextAt > latest + (isTryingAgain ? PLATFORM_PAUSE_MS : 0))
          violated(`${actor.name} has work, and its alarm is ${Math.round(nextAt - latest)} ms too late`);
      },
    };
  },
};
