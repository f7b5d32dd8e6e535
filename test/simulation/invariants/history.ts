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
  "RunStopped",
  "DeploymentDeleted",
];

/** Events of work, which must not follow a final event. */
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

/** Event numbers are consecutive, and final events are final. */
export const history: Invariant<World> = {
  name: "history",
  promise: "Event numbers have no gaps; exports, runs and deployments end once, and no work follows their end.",
  watch: (_world, violated) => {
    const last = new Map<Actor, number>();
    const ended = new Map<Actor, string>();
    return {
      onLine: ({ actor, seq, event: { type } }) => {
        const expected = (last.get(actor) ?? 0) + 1;
        if (seq !== expected) violated(`${actor.name} writes event ${seq} instead of ${expected}`);
        last.set(actor, seq);
        const end = ended.get(actor);
        if (end !== undefined && (FINAL.includes(type) || WORK.includes(type)))
          violated(`${actor.name} has ${type} after ${end}`);
        if (FINAL.includes(type)) ended.set(actor, type);
      },
    };
  },
};
