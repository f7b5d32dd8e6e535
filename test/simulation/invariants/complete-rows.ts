import type { Partition } from "../../../src/domain/export-run/partition.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { ExportWorld } from "../exports/export-world.ts";
import { idsIn } from "../exports/exported-rows.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

/** Start and end of a run's snapshot, in epoch milliseconds. */
interface SnapshotTime {
  beganAt: number;
  takenAt: number;
}

/** No row is lost, and no row is exported twice. */
export const completeRows: Invariant = {
  name: "complete-rows",
  promise:
    "The committed files of a COMPLETED export contain each row of its window that was acknowledged before its snapshot exactly once, and no row that was not sent.",
  watch: (world, violated) => {
    const snapshots = new Map<Actor, SnapshotTime>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "EXPORT_RUN") return;
        if (event.type === "StepBegan" && event.step === "snapshot" && !(snapshots.has(actor) && isFixed(world, actor)))
          snapshots.set(actor, { beganAt: event.at, takenAt: Number.POSITIVE_INFINITY });
        const open = snapshots.get(actor);
        if (event.type === "SnapshotTaken" && open !== undefined) open.takenAt = event.at;
      },
      atRest: async () => {
        for (const actor of world.logs.exports.values()) {
          const state = world.logs.exportState(actor);
          if (state.status !== "COMPLETED" || state.plan.partitions.length === 0) continue;
          const seen = new Set<string>();
          for (const run of world.logs.runsOf(state.plan.definition.id)) {
            const problem = await problemOf(world, world.logs.runState(run), snapshots.get(run), seen);
            if (problem !== null) violated(`${run.name} ${problem}`);
          }
        }
      },
    };
  },
};

/** A schedule's export keeps its first snapshot, also if the answer was lost. */
function isFixed(world: ExportWorld, run: Actor): boolean {
  const state = world.logs.runState(run);
  return state.status !== "NONE" && state.spec.scheduleId !== undefined;
}

async function problemOf(
  world: ExportWorld,
  run: ExportRunState,
  snapshot: SnapshotTime | undefined,
  seen: Set<string>,
): Promise<string | null> {
  if (run.status === "NONE" || snapshot === undefined) return "never requested a snapshot";
  const { partition } = run.spec;
  for (const file of run.progress.files) {
    const object = world.bucket.objects.get(file.key);
    if (object === undefined) return `lists ${file.key}, which is not in the bucket`;
    const ids = await idsIn(object.bytes);
    if (ids.length !== file.rows) return `says ${file.rows} rows of ${file.key}, which has ${ids.length}`;
    for (const id of ids) {
      if (seen.has(id)) return `has row ${id} twice`;
      seen.add(id);
      if (!mayHave(world, id, partition, snapshot))
        return `has row ${id}, which was not sent for its window before the snapshot`;
    }
  }
  if (partition.late) return null; // checked by `late-rows`
  const lost = world.rows
    .within(partition.start, partition.end)
    .find((row) => row.acknowledgedAt !== null && row.acknowledgedAt < snapshot.beganAt && !seen.has(row.id));
  return lost === undefined
    ? null
    : `lacks row ${lost.id}, acknowledged ${snapshot.beganAt - (lost.acknowledgedAt ?? 0)} ms before`;
}

function mayHave(world: ExportWorld, id: string, { start, end }: Partition, { takenAt }: SnapshotTime): boolean {
  const row = world.rows.byId.get(id);
  return row !== undefined && row.start >= start && row.start < end && row.sentAt <= takenAt + 1;
}
