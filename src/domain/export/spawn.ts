import { takeNothing } from "../schedule/table-ledger.ts";
import { windowOf } from "../schedule/windows.ts";
import type { Window } from "../shared/time.ts";
import type { LateLook } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { spawnIdOf } from "./run-ids.ts";
import type { CreatedExport, ExportState } from "./state.ts";

/** The next window of a schedule, and when it is spawned; null: it is no schedule, or paused, or has ended. */
export function nextWindow(state: ExportState): (Window & { readonly dueAt: number }) | null {
  if (state.status !== "CREATED" || state.pausedAt !== null) return null;
  const { definition, limits } = state.plan;
  if (definition.intervalHours === null) return null;
  const window = windowOf(definition.start, definition.intervalHours, state.spawned);
  return { ...window, dueAt: state.look.retryAt ?? window.end + limits.spawnDelayMs };
}

/**
 * Spawns the next window when it is due, each exactly once; missed windows are caught up one by one. Late rows must
 * have been looked for before. While the customer's table cannot be queried for them, the window is retried as a run is.
 */
export function spawn(state: CreatedExport, look: LateLook | null, at: number): readonly ExportEvent[] {
  const window = nextWindow(state);
  if (window === null || at < window.dueAt || look?.before !== window.start) return [];
  const { definition, limits } = state.plan;
  if (!look.table.ok && look.table.failure.retryable && state.look.failures < limits.maxRetries)
    return [{ type: "LookFailed", failure: look.table.failure, retryAt: at + limits.retryDelayMs, at }];
  const table = look.table.ok ? look.table.value : takeNothing(state.table);
  return [
    {
      type: "WindowSpawned",
      index: state.spawned,
      exportId: spawnIdOf(definition.id, window.start),
      start: window.start,
      end: window.end,
      late: look.windows,
      noted: look.noted,
      ...(table === null ? {} : { table }),
      at,
    },
  ];
}
