import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { partitionAt } from "../../../src/domain/export/partitions.ts";
import type { Partition } from "../../../src/domain/export-run/partition.ts";
import type { ExportRunState } from "../../../src/domain/export-run/state.ts";
import type { ExportWorld } from "../exports/export-world.ts";
import { idsIn } from "../exports/exported-rows.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";
import { type SnapshotTime, SnapshotTimes } from "./snapshot-times.ts";

/** No row is lost, and no row is exported twice. */
export const completeRows: Invariant = {
  name: "complete-rows",
  promise:
    "The committed files of a COMPLETED export contain each row of its window that was acknowledged before its snapshot exactly once, and no row that was not sent.",
  watch: (world, violated) => {
    const snapshots = new SnapshotTimes(world);
    /** Instant of the last event of an export before the present one. */
    const lastEvent = new Map<Actor, number>();
    return {
      onLine: (line) => {
        snapshots.onLine(line);
        const { of, actor, event } = line;
        if (of !== "EXPORT") return;
        const problem = event.type === "DaysChecked" ? lostIn(world, actor, event, lastEvent.get(actor) ?? 0) : null;
        if (problem !== null) violated(`${actor.name} ${problem}`);
        lastEvent.set(actor, event.at);
      },
      atRest: async () => {
        for (const actor of world.logs.exports.values()) {
          const state = world.logs.exportState(actor);
          if (state.status !== "COMPLETED") continue;
          const seen = new Set<string>();
          for (const run of world.logs.runsOf(state.plan.definition.id)) {
            const problem = await problemOf(world, world.logs.runState(run), snapshots.of(run), seen);
            if (problem !== null) violated(`${run.name} ${problem}`);
          }
        }
      },
    };
  },
};

/** A row of a day that was found empty, though it was acknowledged before the check. */
function lostIn(
  world: ExportWorld,
  actor: Actor,
  { from, upto, withRows }: Extract<ExportEvent, { type: "DaysChecked" }>,
  checkedAfter: number,
): string | null {
  const state = world.logs.exportState(actor);
  if (state.status === "NONE") return null;
  const { definition } = state.plan;
  // Of a schedule's export the first answer counts, which may have been given before a crash.
  const since = definition.sourceExportId === null ? checkedAfter : definition.createdAt;
  for (let ordinal = from; ordinal < upto; ordinal += 1) {
    const day = withRows.includes(ordinal) ? null : partitionAt(definition, ordinal);
    const lost =
      day === null
        ? undefined
        : world.rows.within(day.start, day.end).find(({ acknowledgedAt }) => (acknowledgedAt ?? Infinity) < since);
    if (lost !== undefined) return `takes the day of row ${lost.id} for empty`;
  }
  return null;
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
  return row !== undefined && row.start >= start && row.start < end && row.sentAt !== null && row.sentAt <= takenAt + 1;
}
