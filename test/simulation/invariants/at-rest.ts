import type { World } from "../kernel/world.ts";
import type { Invariant } from "./invariant.ts";

/** All work ends, and nothing is left over. */
export const atRest: Invariant = {
  name: "at-rest",
  promise:
    "After the faults have stopped, all work ends: each export and run has ended, no outbox holds a message, no handler hangs, and scratch holds only objects that crashed actors had sent.",
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

/** An alarm or an outbox that will never finish; null: none. */
export function hanging({ platform, logs }: World): string | null {
  for (const actor of platform.actors.values()) {
    if (actor.clock.isRinging) return `the alarm of ${actor.name} never ends`;
    if (logs.has(actor) && actor.storage.rows("SELECT 1 FROM outbox").length > 0)
      return `${actor.name} has undelivered messages`;
  }
  return null;
}
