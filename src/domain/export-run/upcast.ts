import { LIMITS } from "../shared/limits.ts";
import type { ExportRunEvent } from "./events.ts";

/** Lifts an event of a run as an older version wrote it to today's shape: limits, filters and proofs it did not know. */
export function upcastExportRun(event: { readonly type: string }): ExportRunEvent {
  const known = event as ExportRunEvent; // written by this rule's own events, of this version or an older one
  if (known.type === "RunStarted")
    return {
      ...known,
      spec: { ...known.spec, filter: known.spec.filter ?? null, limits: { ...LIMITS, ...known.spec.limits } },
    };
  if (known.type === "PartUploaded") return { ...known, md5: known.md5 ?? null };
  if (known.type !== "FileCommitted") return known;
  const { file } = known;
  return { ...known, file: { ...file, sha256: file.sha256 ?? null, expectedEtag: file.expectedEtag ?? null } };
}
