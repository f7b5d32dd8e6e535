import type { Partition } from "../../../src/domain/export-run/partition.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { ExportWorld } from "../exports/export-world.ts";
import { idsIn } from "../exports/exported-rows.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** When a run asked for its snapshot, and when it had it; epoch milliseconds. */
interface Asked {
  beganAt: number;
  takenAt: number;
}

/** Nothing is lost, nothing comes twice. */
export const completeRows: Invariant = {
  name: "complete-rows",
  promise:
    "The committed files of a COMPLETED export hold each row of its window acknowledged before its snapshot once, and no row that was not sent.",
  watch: (world, violated) => {
    const asked = new Map<Actor, Asked>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT_RUN") return;
        if (event.type === "StepBegan" && event.step === "snapshot" && !(asked.has(actor) && isFixed(world, actor)))
          asked.set(actor, { beganAt: event.at, takenAt: Number.POSITIVE_INFINITY });
        const open = asked.get(actor);
        if (event.type === "SnapshotTaken" && open !== undefined) open.takenAt = event.at;
      },
      atRest: async () => {
        for (const actor of world.logs.exports.values()) {
          const state = world.logs.exportState(actor);
          if (state.status !== "COMPLETED" || state.plan.partitions.length === 0) continue;
          const seen = new Set<string>();
          for (const run of world.logs.runsOf(state.plan.definition.id)) {
            const problem = await problemOf(world, world.logs.runState(run), asked.get(run), seen);
            if (problem !== null) violated(`${run.name} ${problem}`);
          }
        }
      },
    };
  },
};

/** What a schedule's export was shown first, it is shown for ever, also when the answer did not arrive. */
function isFixed(world: ExportWorld, run: Actor): boolean {
  const state = world.logs.runState(run);
  return state.status !== "NONE" && state.spec.scheduleId !== undefined;
}

async function problemOf(
  world: ExportWorld,
  run: ExportRunState,
  asked: Asked | undefined,
  seen: Set<string>,
): Promise<string | null> {
  if (run.status === "NONE" || asked === undefined) return "never asked for a snapshot";
  const { partition } = run.spec;
  for (const file of run.progress.files) {
    const object = world.bucket.objects.get(file.key);
    if (object === undefined) return `lists ${file.key}, which is not in the bucket`;
    const ids = await idsIn(object.bytes);
    if (ids.length !== file.rows) return `says ${file.rows} rows of ${file.key}, which has ${ids.length}`;
    for (const id of ids) {
      if (seen.has(id)) return `has row ${id} twice`;
      seen.add(id);
      if (!mayHave(world, id, partition, asked)) return `has row ${id}, which nobody sent for its window and time`;
    }
  }
  if (partition.late) return null; // which of them are late is what `late-rows` looks at
  const lost = world.rows
    .within(partition.start, partition.end)
    .find((row) => row.acknowledgedAt !== null && row.acknowledgedAt < asked.beganAt && !seen.has(row.id));
  return lost === undefined
    ? null
    : `lacks row ${lost.id}, acknowledged ${asked.beganAt - (lost.acknowledgedAt ?? 0)} ms before`;
}

function mayHave(world: ExportWorld, id: string, { start, end }: Partition, { takenAt }: Asked): boolean {
  const row = world.rows.byId.get(id);
  return row !== undefined && row.start >= start && row.start < end && row.sentAt <= takenAt + 1;
}
