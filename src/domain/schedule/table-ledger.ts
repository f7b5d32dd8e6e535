import type { ExportStatus } from "../shared/export-status.ts";
import { DAY_MICROS, type Window } from "../shared/time.ts";
import { type IngestSpan, type LateWindow, MAX_LATE_DAYS } from "./late.ts";

/**
 * Late rows of an external table that has insertion times. A window of a schedule gets a bound when it is spawned, an
 * instant of the table's clock: its export takes the rows of the window that were inserted before. Rows of earlier
 * windows that were inserted between two bounds are late; the window with the later bound carries them, and the next one
 * if its export does not complete. So each row is exported once, and the log of the schedule says by which export.
 */

/** Rows of a table that started in a window and were inserted in a span of time. */
export interface LateRows extends LateWindow {
  readonly ingested: IngestSpan;
}

/** What a schedule has exported of the table, and what it still owes. */
export interface TableLedger {
  /** `since` of the project's binding: the ledger is about the rows of that binding. */
  readonly since: number;
  /** Start of the first window with a bound. */
  readonly start: number;
  /** Bound of the newest window, in epoch microseconds by the table's clock. */
  readonly bound: number;
  /** Rows that were not looked for yet. */
  readonly owed: readonly LateRows[];
  /** Late rows in exports that are not known to have completed. */
  readonly carried: readonly { readonly exportId: string; readonly rows: readonly LateRows[] }[];
}

/** What the event of a spawned window records about the table, in addition to the late rows that the window carries. */
export interface TableTake extends Pick<TableLedger, "since" | "start" | "bound" | "owed"> {
  /** Exports to remove from `carried`: they completed, or this window carries their rows. */
  readonly settled: readonly string[];
}

/**
 * Distance of a bound from the table's clock. A row becomes visible some time after its insertion time: 200 ms with
 * `async_insert`, 30 s through a Distributed table of ClickHouse; and a DateTime is cut to the second.
 */
export const SETTLED_AFTER_MICROS = 60_000_000;

/** Limits of what the event of one window holds, at most 256 KiB (durable/journal/event-log.ts). Each owed look is a query. */
const MAX_OWED = 100;
const MAX_SETTLED = 1000;

/**
 * The ledger with the bound of the window about to be spawned. Another binding starts another ledger. When too many looks
 * are owed the bound stays, so that later insertions count as late.
 */
export function boundedAt(
  ledger: TableLedger | null,
  { since }: Pick<TableLedger, "since">,
  windowStart: number,
  clockMicros: number,
): TableLedger {
  const bound = clockMicros - SETTLED_AFTER_MICROS;
  if (ledger?.since !== since) return { since, start: windowStart, bound, owed: [], carried: [] };
  if (bound <= ledger.bound || ledger.owed.length >= MAX_OWED) return ledger;
  const { start, owed } = ledger;
  const inserted: LateRows = { start, end: windowStart, ingested: { since, from: ledger.bound, before: bound } };
  return { ...ledger, bound, owed: [...owed, inserted] };
}

/**
 * The late rows that the window about to be spawned carries: those of exports that ended without completing, then those
 * found on `days` (for each owed look, days since 1970), up to the limit of days. The rest stays owed.
 */
export function takeLate(
  { since, start, bound, owed, carried }: TableLedger,
  statuses: ReadonlyMap<string, ExportStatus>,
  days: readonly (readonly number[])[],
): { readonly rows: readonly LateRows[]; readonly take: TableTake } {
  const rows: LateRows[] = [];
  const settled: string[] = [];
  for (const one of carried) {
    if (settled.length === MAX_SETTLED) break;
    const isLost = LOST.some((status) => status === statuses.get(one.exportId));
    if (isLost && rows.length + one.rows.length > MAX_LATE_DAYS) continue;
    if (isLost) rows.push(...one.rows);
    if (isLost || statuses.get(one.exportId) === "COMPLETED") settled.push(one.exportId);
  }
  const left: LateRows[] = [];
  for (const [i, due] of owed.entries()) {
    const found = (days[i] ?? []).map((day) => partOf(due, day * DAY_MICROS));
    const room = MAX_LATE_DAYS - rows.length;
    rows.push(...found.slice(0, room));
    const next = found[room];
    if (next !== undefined) left.push({ ...due, start: next.start });
  }
  return { rows, take: { since, start, bound, owed: left, settled } };
}

const LOST: readonly ExportStatus[] = ["FAILED", "CANCELLED", "TIMEDOUT"];

/** The part of a window that lies in the day that starts at `midnight`. */
const partOf = ({ start, end, ingested }: LateRows, midnight: number): LateRows => ({
  start: Math.max(start, midnight),
  end: Math.min(end, midnight + DAY_MICROS),
  ingested,
});

/**
 * What a window takes that is earlier than all spawned ones: the rows inserted before the present bound. Later searches
 * cover it too, if it ends where they began. `next`: start of the next window in the order of time; without a ledger all
 * windows between were spawned without a bound, so searches cover none of them.
 */
export function takeEarlier(
  ledger: TableLedger | null,
  { since }: Pick<TableLedger, "since">,
  window: Window & { readonly next: number },
  clockMicros: number,
): TableTake {
  if (ledger?.since !== since) {
    const start = startWith({ start: window.next }, window);
    return { since, start, bound: clockMicros - SETTLED_AFTER_MICROS, owed: [], settled: [] };
  }
  const { bound, owed } = ledger;
  return { since, start: startWith(ledger, window), bound, owed, settled: [] };
}

const startWith = ({ start }: Pick<TableLedger, "start">, window: Window): number =>
  window.end === start ? window.start : start;

/** What a window takes when the table cannot be queried: nothing after the bound before. Null: there is no ledger. */
export const takeNothing = (ledger: TableLedger | null, window: Window): TableTake | null => {
  if (ledger === null) return null;
  const { since, bound, owed } = ledger;
  return { since, start: startWith(ledger, window), bound, owed, settled: [] };
};

/** The ledger after a window was spawned; `late`: what its export carries. */
export function ledgerAfter(
  ledger: TableLedger | null,
  { settled, ...taken }: TableTake,
  { exportId, late }: { readonly exportId: string; readonly late: readonly LateWindow[] },
): TableLedger {
  const known = ledger?.since === taken.since ? ledger.carried : [];
  const waiting = known.filter((one) => !settled.includes(one.exportId));
  const rows = late.flatMap(({ ingested, ...window }) => (ingested === undefined ? [] : [{ ...window, ingested }]));
  return { ...taken, carried: rows.length === 0 ? waiting : [...waiting, { exportId, rows }] };
}

/** The rows of its own window that an export takes. */
export const ownRows = ({ since, bound }: TableTake): IngestSpan => ({ since, from: 0, before: bound });
