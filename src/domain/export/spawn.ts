import { takeNothing } from "../schedule/table-ledger.ts";
import { windowOf } from "../schedule/windows.ts";
import { MAX_OPEN_WINDOWS } from "../shared/limits.ts";
import { MICROS_PER_MS, type Window } from "../shared/time.ts";
import type { LateSearch } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { spawnIdOf } from "./run-ids.ts";
import type { CreatedExport, ExportState } from "./state.ts";

/** A window that a schedule may spawn. */
export interface DueWindow extends Window {
  readonly index: number;
  /**
   * The earlier part of the schedule whose windows were spawned: late rows are looked for there. null: all that was spawned
   * is later than this window, so there are none.
   */
  readonly covered: Window | null;
  /** Start of the next window in the order of time: all spawned windows end by then. */
  readonly next: number;
}

/** When a schedule spawns its next window; null: it is no schedule, is paused, has ended, or has too many open windows. */
export function spawnsAt(state: ExportState): number | null {
  if (!isSpawning(state)) return null;
  if (state.search.retryAt !== null) return state.search.retryAt;
  if (state.windows.past > 0) return state.updatedAt;
  return dueAt(state, windowAt(state, state.windows.next));
}

/** The window to spawn by then; null: none is due. A window that ends after the creation goes before those of the past. */
export function dueWindow(state: ExportState, at: number): DueWindow | null {
  if (!isSpawning(state) || (state.search.retryAt !== null && at < state.search.retryAt)) return null;
  const { next, past, earliest } = state.windows;
  const window = windowAt(state, next);
  if (at >= dueAt(state, window)) {
    const { start } = windowAt(state, earliest ?? next);
    return { ...window, index: next, covered: { start, end: window.start }, next: window.start };
  }
  return past > 0 ? { ...windowAt(state, past - 1), index: past - 1, covered: null, next: window.start } : null;
}

/** Whether the export is a schedule that may spawn windows now or later. */
const isSpawning = (state: ExportState): state is CreatedExport =>
  state.status === "CREATED" &&
  state.pausedAt === null &&
  state.plan.definition.intervalHours !== null &&
  state.windows.open.size < MAX_OPEN_WINDOWS;

/** In epoch milliseconds. */
const dueAt = ({ plan }: CreatedExport, window: Window): number =>
  Math.ceil(window.end / MICROS_PER_MS) + plan.limits.spawnDelayMs;

const windowAt = ({ plan }: CreatedExport, index: number): Window =>
  windowOf(plan.definition.start, plan.definition.intervalHours ?? 0, index);

/**
 * Spawns the window that is due, each exactly once; missed windows are caught up one by one. Late rows must have been
 * looked for before. While the customer's table cannot be queried for them, the window is retried as a run is.
 */
export function spawn(state: CreatedExport, search: LateSearch | null, at: number): readonly ExportEvent[] {
  const window = dueWindow(state, at);
  if (window === null || search?.before !== window.start) return [];
  const { definition, limits } = state.plan;
  if (!search.table.ok && search.table.failure.retryable && state.search.failures < limits.maxRetries)
    return [{ type: "LateSearchFailed", failure: search.table.failure, retryAt: at + limits.retryDelayMs, at }];
  const table = search.table.ok ? search.table.value : takeNothing(state.table, window);
  return [
    {
      type: "WindowSpawned",
      index: window.index,
      exportId: spawnIdOf(definition.id, window.start),
      start: window.start,
      end: window.end,
      late: search.windows,
      lastRegistration: search.lastRegistration,
      ...(table === null ? {} : { table }),
      at,
    },
  ];
}

/** A report that is repeated changes nothing. */
export const recordWindowEnded = (state: CreatedExport, exportId: string, at: number): readonly ExportEvent[] =>
  state.windows.open.has(exportId) ? [{ type: "WindowEnded", exportId, at }] : [];
