import { LIMITS } from "../limits.ts";
import type { ExportDefinition } from "../records.ts";
import type { ExportEvent } from "./events.ts";

/** Lifts an event of an export as an older version wrote it to today's shape. */
export function upcastExport(event: { readonly type: string }): ExportEvent {
  const known = event as ExportEvent; // written by this rule's own events, of this version or an older one
  if (known.type !== "ExportCreated") return known;
  const { definition, limits } = known.plan;
  const plan = { ...known.plan, definition: upcastDefinition(definition), limits: { ...LIMITS, ...limits } };
  return { ...known, plan };
}

/** Definitions of versions that could not retry a run do not say which run they retry: none. */
export const upcastDefinition = (definition: ExportDefinition): ExportDefinition => ({
  ...definition,
  retryOfRunId: definition.retryOfRunId ?? null,
});
