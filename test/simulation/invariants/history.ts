import type { World } from "../kernel/world.ts";
import type { Actor } from "../platform/actor.ts";
import type { Invariant } from "./invariant.ts";

const FINAL = [
  "ExportCompleted",
  "ExportFailed",
  "ExportCancelled",
  "ExportTimedOut",
  "RunCompleted",
  "RunFailed",
  "RunCancelled",
  "RunTimedOut",
  "DeploymentDeleted",
];

/** What work leaves in a log; none of it may come after the end. */
const WORK = [
  "AttemptStarted",
  "StepBegan",
  "SnapshotTaken",
  "FileCommitted",
  "RunAdmitted",
  "WindowSpawned",
  "RevisionAdded",
  "RevisionMoved",
  "LeaseTaken",
  "LeaseRenewed",
  "ServedAt",
];

/** A log is history: it grows by one line at a time, and an end is an end. */
export const history: Invariant<World> = {
  name: "history",
  promise: "Sequence numbers have no gap, an export, a run and a deployment end once, and nothing works after its end.",
  watch: (_world, violated) => {
    const last = new Map<Actor, number>();
    const ended = new Map<Actor, string>();
    return {
      onLine: ({ actor, seq, event: { type } }) => {
        const expected = (last.get(actor) ?? 0) + 1;
        if (seq !== expected) violated(`${actor.name} writes line ${seq} where ${expected} was due`);
        last.set(actor, seq);
        const end = ended.get(actor);
        if (end !== undefined && (FINAL.includes(type) || WORK.includes(type)))
          violated(`${actor.name} has ${type} after ${end}`);
        if (FINAL.includes(type)) ended.set(actor, type);
      },
    };
  },
};
