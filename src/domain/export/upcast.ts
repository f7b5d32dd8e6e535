import { LIMITS } from "../shared/limits.ts";
import type { ExportEvent, ExportPlan } from "./events.ts";
import type { ExportDefinition } from "./records.ts";

/** Lifts an event of an export as an older version wrote it to today's shape. */
export function upcastExport(event: { readonly type: string }): ExportEvent {
  const known = event as ExportEvent; // written by this rule's own events, of this version or an older one
  if (known.type !== "ExportCreated") return known;
  const { runIds: _, ...plan } = known.plan as OlderPlan; // written by this version or an older one
  const { definition, limits } = plan;
  return { ...known, plan: { ...plan, definition: upcastDefinition(definition), limits: { ...LIMITS, ...limits } } };
}

/** Plans of versions that wrote down the ids of the runs, which follow from the export's id. */
type OlderPlan = ExportPlan & { readonly runIds?: readonly string[] };

/** Definitions of versions that could not retry a run do not say which run they retry: none. */
export const upcastDefinition = (definition: ExportDefinition): ExportDefinition => ({
  ...definition,
  retryOfRunId: definition.retryOfRunId ?? null,
});
