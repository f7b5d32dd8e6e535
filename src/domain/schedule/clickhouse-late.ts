import type { TableBinding } from "../project/clickhouse-binding.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import { DAY_MS } from "../shared/time.ts";
import { type IngestSpan, type LateWindow, MAX_LATE_DAYS } from "./late.ts";

/**
 * Late data of a project that is read from a table of the customer's. A window of a schedule gets a bound when it is
 * spawned, an instant of the table's own clock: its export takes the rows of the window that the table had got by
 * then. What the table got between two bounds for windows before the later one is that one's to carry; where its
 * export does not complete, another's. So each row is carried once, and the schedule's own log knows by whom.
 */

/** Rows of a table that began in a window and that the table got in a span of time. */
export interface LateRows extends LateWindow {
  readonly ingested: IngestSpan;
}

/** What a schedule knows of the table that its windows are read from. */
export interface TableLedger {
  /** Tells which rows the bounds are about: the binding's `since`. */
  readonly since: number;
  /** Start of the first window with a bound. */
  readonly start: number;
  /** The newest window's bound: epoch microseconds by the table's clock. */
  readonly bound: number;
  /** Rows that nobody has looked for yet. */
  readonly owed: readonly LateRows[];
  /** Late rows in exports that are not known to have completed. */
  readonly carried: readonly { readonly exportId: string; readonly rows: readonly LateRows[] }[];
}

/** What the event of a spawned window says about the table; the rows to carry stand beside it. */
export interface TableTake extends Pick<TableLedger, "since" | "start" | "bound" | "owed"> {
  /** Exports of which nothing is to be expected any more: they completed, or this window carries their rows. */
  readonly settled: readonly string[];
}

/**
 * Between the instant that a row bears and the one from which everybody sees it an insert may still be under way.
 * So a bound lies this far back: longer than what `async_insert` and Distributed tables keep to themselves (200 ms,
 * 30 s), and than the second to which an `ingested_at` of type DateTime is cut.
 */
export const SETTLED_AFTER_MICROS = 60_000_000;

/**
 * Looks that may be owed, and exports settled by one window: both stand in the event of each window, which holds 256 KiB
 * at most (durable/journal/event-log.ts), and each look is a query.
 */
const MAX_OWED = 100;
const MAX_SETTLED = 1000;

/**
 * The ledger with the bound of the window about to be spawned. Another binding than before begins anew. Where too much
 * is owed the bound stays: what the table gets until then is late for every window.
 */
export function boundedAt(
  ledger: TableLedger | null,
  { since }: Pick<TableBinding, "since">,
  windowStart: number,
  clockMicros: number,
): TableLedger {
  const bound = clockMicros - SETTLED_AFTER_MICROS;
  if (ledger?.since !== since) return { since, start: windowStart, bound, owed: [], carried: [] };
  if (bound <= ledger.bound || ledger.owed.length >= MAX_OWED) return ledger;
  const { start, owed } = ledger;
  const come: LateRows = { start, end: windowStart, ingested: { since, from: ledger.bound, before: bound } };
  return { ...ledger, bound, owed: [...owed, come] };
}

/**
 * What the window about to be spawned carries: the rows of exports that ended without completing, then those found on
 * `days` (for each of what is owed, days since 1970), as far as there is room for days. The rest stays as it is.
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
    const found = (days[i] ?? []).map((day) => partOf(due, day * DAY_MS));
    const room = MAX_LATE_DAYS - rows.length;
    rows.push(...found.slice(0, room));
    const next = found[room];
    if (next !== undefined) left.push({ ...due, start: next.start });
  }
  return { rows, take: { since, start, bound, owed: left, settled } };
}

const LOST: readonly ExportStatus[] = ["FAILED", "CANCELLED", "TIMEDOUT"];

/** Of a window of one or more days what lies in the day that begins then. */
const partOf = ({ start, end, ingested }: LateRows, midnight: number): LateRows => ({
  start: Math.max(start, midnight),
  end: Math.min(end, midnight + DAY_MS),
  ingested,
});

/** What a window takes when the table cannot be asked: nothing that came since the bound before. Null: there is none. */
export const takeNothing = (ledger: TableLedger | null): TableTake | null => {
  if (ledger === null) return null;
  const { since, start, bound, owed } = ledger;
  return { since, start, bound, owed, settled: [] };
};

/** The ledger after a window was spawned with such a take; `late`: what its export carries. */
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

/** The rows of a window that its own export takes. */
export const ownRows = ({ since, bound }: TableTake): IngestSpan => ({ since, from: 0, before: bound });
