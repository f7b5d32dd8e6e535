import { MICROS_PER_MS } from "../shared/time.ts";
import { type CatchUpOrder, countEnded } from "./windows.ts";

/** Which windows a schedule has spawned. */
export interface KnownWindows {
  /** Index of the next window in the order of time. All earlier ones were spawned, but for the `past` ones. */
  readonly next: number;
  /** With `newest_first`: number of windows of the past that are left, those with the lower indexes. */
  readonly past: number;
  /** Index of the earliest window that was spawned; null: none was. */
  readonly earliest: number | null;
  /** Ids of the spawned exports that have not ended. */
  readonly open: ReadonlySet<string>;
}

/** The windows of an export that was just created. `intervalHours` null: it is no schedule. */
export function windowsAtCreation(
  {
    start,
    intervalHours,
    catchUp,
    createdAt,
  }: {
    readonly start: number;
    readonly intervalHours: number | null;
    readonly catchUp: CatchUpOrder | null;
    readonly createdAt: number;
  },
  spawnDelayMs: number,
): KnownWindows {
  const none = { next: 0, past: 0, earliest: null, open: new Set<string>() };
  if (intervalHours === null || catchUp !== "newest_first") return none;
  const past = countEnded(start, intervalHours, (createdAt - spawnDelayMs) * MICROS_PER_MS);
  return { ...none, next: past, past };
}

export const afterSpawn = (windows: KnownWindows, index: number, exportId: string): KnownWindows => ({
  ...(index < windows.past ? { next: windows.next, past: index } : { next: index + 1, past: windows.past }),
  earliest: Math.min(index, windows.earliest ?? index),
  open: new Set(windows.open).add(exportId),
});

export function afterEnd(windows: KnownWindows, exportId: string): KnownWindows {
  const open = new Set(windows.open);
  open.delete(exportId);
  return { ...windows, open };
}
