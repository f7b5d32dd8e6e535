import type { World } from "../kernel/world.ts";
import type { Invariant } from "./invariant.ts";

/** Everything ends, and is tidy then. */
export const atRest: Invariant = {
  name: "at-rest",
  promise:
    "Once nothing goes wrong any more everything comes to rest: each export and run has ended, no outbox holds a message, no handler hangs, nothing lies in scratch but what the dead had sent.",
  watch: (world, violated) => ({
    atRest: () => {
      const { logs, platform } = world;
      const hangs = hanging(world);
      if (hangs !== null) violated(hangs);
      for (const actor of logs.exports.values()) {
        const { status } = logs.exportState(actor);
        if (status === "CREATED" || status === "RUNNING") violated(`${actor.name} stays ${status}`);
      }
      for (const actor of logs.runs.values()) {
        const { status } = logs.runState(actor);
        if (status === "RUNNING") violated(`${actor.name} stays RUNNING`);
      }
      const { objects, orphans } = platform.segments;
      const left = [...objects.keys()].find((key) => key.startsWith("scratch/") && !orphans.has(key));
      if (left !== undefined) violated(`${left} is left over`);
    },
  }),
};

/** What an actor has begun and will never end; null: nothing. */
export function hanging({ platform, logs }: World): string | null {
  for (const actor of platform.actors.values()) {
    if (actor.clock.isRinging) return `the alarm of ${actor.name} never ends`;
    if (logs.has(actor) && actor.storage.rows("SELECT 1 FROM outbox").length > 0)
      return `${actor.name} has undelivered messages`;
  }
  return null;
}
