import { type ExportedRow, rowsIn } from "../exports/exported-rows.ts";
import { contentOf, type Sent, type SentRow } from "../exports/rows.ts";
import type { Invariant } from "./invariant.ts";
import { type SnapshotTime, SnapshotTimes } from "./snapshot-times.ts";

/** Exported rows have what was sent about them, whatever order it came in. */
export const mergedContent: Invariant = {
  name: "merged-content",
  promise:
    "Each row of a COMPLETED export has the inputs of its post, the fields of its patch in place of those of its post, and its feedback, if post and patch or feedback were acknowledged before the snapshot. It has the whole of a patch or nothing of it.",
  watch: (world, violated) => {
    const snapshots = new SnapshotTimes(world);
    return {
      onLine: (line) => snapshots.onLine(line),
      atRest: async () => {
        for (const actor of world.logs.exports.values()) {
          const state = world.logs.exportState(actor);
          if (state.status !== "COMPLETED") continue;
          for (const run of world.logs.runsOf(state.plan.definition.id)) {
            const runState = world.logs.runState(run);
            const time = snapshots.of(run);
            if (runState.status === "NONE" || time === undefined) continue;
            for (const { key } of runState.progress.files) {
              const object = world.bucket.objects.get(key);
              for (const row of object === undefined ? [] : await rowsIn(object.bytes)) {
                const sent = world.rows.byId.get(row.id);
                const problem = sent === undefined ? null : problemOf(row, sent, time);
                if (problem !== null) violated(`row ${row.id} of ${key} ${problem}`);
              }
            }
          }
        }
      },
    };
  },
};

type Presence = "present" | "absent" | "either";

function problemOf(row: ExportedRow, sent: SentRow, time: SnapshotTime): string | null {
  const { inputs, posted, patched, feedbackKey } = contentOf(row.id);
  // A patch that names project and day makes a run before its post is there.
  const mayLackPost = row.inputs === null && !isBefore(sent, time.beganAt);
  if ("inputs" in row && row.inputs !== inputs && !mayLackPost) return `has the inputs ${row.inputs}`;
  const patch = presenceOf(sent, sent.patch, time);
  const hasPatch = [
    ...("extra" in row ? [among(row.extra, patched.extra, posted.extra)] : []),
    ...("outputs" in row ? [among(row.outputs, patched.outputs, null)] : []),
  ];
  if (hasPatch.includes("another")) return `has the extra ${row.extra} and the outputs ${row.outputs}`;
  if (new Set(hasPatch).size > 1) return "has a part of its patch";
  if (hasPatch.includes("without") && patch === "present") return "lacks its patch";
  if (hasPatch.includes("with") && patch === "absent") return "has a patch that was not sent";
  if (!("feedback_stats" in row)) return null;
  const feedback = presenceOf(sent, sent.feedback, time);
  const keys = row.feedback_stats === null ? [] : Object.keys(JSON.parse(String(row.feedback_stats)));
  if (keys.some((key) => key !== feedbackKey)) return `has the feedback ${row.feedback_stats}`;
  if (keys.length === 0 && feedback === "present") return "lacks its feedback";
  return keys.length > 0 && feedback === "absent" ? "has feedback that was not sent" : null;
}

const among = (value: unknown, patched: string, posted: string | null): "with" | "without" | "another" =>
  value === patched ? "with" : value === posted ? "without" : "another";

/** Whether the snapshot must have what was sent. */
function presenceOf(post: Sent, sent: Sent | null, { beganAt, takenAt }: SnapshotTime): Presence {
  if (sent === null || sent.sentAt === null || sent.sentAt > takenAt + 1) return "absent";
  return isBefore(post, beganAt) && isBefore(sent, beganAt) ? "present" : "either";
}

const isBefore = ({ acknowledgedAt }: Sent, at: number): boolean => acknowledgedAt !== null && acknowledgedAt < at;
