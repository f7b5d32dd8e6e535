import { createHash } from "node:crypto";
import { keyPrefixOf, manifestKey, successKey } from "../../../src/domain/destination/layout.ts";
import type { ExportPlan } from "../../../src/domain/export/events.ts";
import type { ExportWorld } from "../exports/export-world.ts";
import type { Invariant } from "./invariant.ts";

/** The members of a manifest that are compared with the bucket. */
interface Manifest {
  readonly rows: number;
  readonly runs: readonly {
    readonly files: readonly {
      readonly key: string;
      readonly rows: number;
      readonly bytes: number;
      readonly etag: string | null;
    }[];
  }[];
}

/** The manifest matches the bucket. */
export const trueManifest: Invariant = {
  name: "true-manifest",
  promise:
    "From the moment an export is COMPLETED, its manifest lists exactly the committed files as they are in the bucket, and _SUCCESS holds its SHA-256; no other export has a _SUCCESS, unless the store's answers were wrong or the destination was deleted.",
  watch: (world, violated) => {
    let isDestinationGone = false;
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "DESTINATION" && event.type === "DestinationDeleted") isDestinationGone = true;
        if (of !== "EXPORT" || event.type !== "ExportCompleted") return;
        const state = world.logs.exportState(actor);
        const problem = state.status === "NONE" ? "was never created" : problemOf(world, state.plan);
        if (problem !== null) violated(`${actor.name} ${problem}`);
      },
      atRest: () => {
        for (const actor of world.logs.exports.values()) {
          const state = world.logs.exportState(actor);
          if (state.status === "NONE") continue;
          const { definition, destination } = state.plan;
          const marker = successKey(keyPrefixOf(destination), definition.id);
          const { doubts } = world.bucket;
          const isExcused = isDestinationGone || doubts.about("put", marker) || doubts.about("remove", marker);
          const isMarked = world.bucket.objects.has(marker) && !isExcused;
          const problem = state.status === "COMPLETED" ? problemOf(world, state.plan) : null;
          if (problem !== null) violated(`${actor.name} at the end ${problem}`);
          if (isMarked && state.status !== "COMPLETED") violated(`${actor.name} is ${state.status} and has a _SUCCESS`);
        }
      },
    };
  },
};

function problemOf({ bucket, logs }: ExportWorld, { definition, destination }: ExportPlan): string | null {
  const prefix = keyPrefixOf(destination);
  const manifest = bucket.objects.get(manifestKey(prefix, definition.id));
  const success = bucket.objects.get(successKey(prefix, definition.id));
  if (manifest === undefined || success === undefined) return "is COMPLETED without manifest or _SUCCESS";
  const sha256 = createHash("sha256").update(manifest.bytes).digest("hex");
  if (new TextDecoder().decode(success.bytes) !== `sha256:${sha256}\n`) return "has a _SUCCESS of another manifest";
  const { runs, rows } = JSON.parse(new TextDecoder().decode(manifest.bytes)) as Manifest; // compared member by member
  const listed = runs.flatMap(({ files }) => files);
  const committed = logs.runsOf(definition.id).flatMap((run) => {
    const state = logs.runState(run);
    return state.status === "NONE" ? [] : state.progress.files;
  });
  const unlisted = [...bucket.objects.keys()].find(
    (key) => key.includes(`/export_id=${definition.id}/tenant_id=`) && !listed.some((file) => file.key === key),
  );
  if (unlisted !== undefined) return `does not list ${unlisted}, which readers of its folder find`;
  if (listed.length !== committed.length) return `lists ${listed.length} files, ${committed.length} are committed`;
  if (committed.reduce((sum, file) => sum + file.rows, 0) !== rows) return `says ${rows} rows`;
  for (const { key, bytes, etag } of listed) {
    const object = bucket.objects.get(key);
    if (!committed.some((file) => file.key === key)) return `lists ${key}, which no run committed`;
    if (object === undefined) return `lists ${key}, which is not in the bucket`;
    if (object.bytes.length !== bytes) return `says ${bytes} bytes of ${key}, which has ${object.bytes.length}`;
    if (etag !== null && object.etag !== etag) return `says ETag ${etag} of ${key}, which has ${object.etag}`;
  }
  return null;
}
