import { upcastDefinition } from "../export/upcast.ts";
import type { WorkspaceEvent } from "./events.ts";
import { DEFAULT_USER_ID } from "./records.ts";

/** Projects of versions that removed nothing. */
const KEPT_FOR_EVER = { retentionDays: null };

/** Lifts an event of a workspace as an older version wrote it to today's shape. */
export function upcastWorkspace(event: { readonly type: string }): WorkspaceEvent {
  const known = event as WorkspaceEvent; // written by this rule's own events, of this version or an older one
  if (known.type === "ProjectCreated" || known.type === "ProjectChanged")
    return { ...known, project: { ...KEPT_FOR_EVER, ...known.project } };
  if (known.type === "KeyAdded")
    return { ...known, key: { ...known.key, userId: known.key.userId ?? DEFAULT_USER_ID } };
  if (known.type === "ProjectBound")
    return { ...known, binding: { ...known.binding, since: known.binding.since ?? known.binding.boundAt } };
  if (known.type !== "ExportRegistered") return known;
  return { ...known, definition: upcastDefinition(known.definition) };
}
