import {
  COLUMNS,
  type ColumnsWith,
  isLong,
  type LongKind,
  SENT_COLUMNS,
  type SentColumn,
  type ValueOf,
} from "../../domain/run/columns.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { microsFromDottedOrder } from "../../domain/shared/time-text.ts";

/**
 * What one post, patch or feedback says about one run. Plain data. null: not sent; an explicit null in the JSON is the
 * same. Times are epoch microseconds. `inputs`, `outputs`, `extra` and `events` are the JSON bytes as received, `error`
 * is UTF-8 text.
 */
export interface RunChange extends RunFields {
  readonly kind: ChangeKind;
  /** Id of the run, a UUID in lower case. */
  readonly id: string;
  /** null: unknown, the run must be searched for. A post that names none belongs to `default`. */
  readonly project: { readonly id: string } | { readonly name: string } | null;
  /** Only on a change of kind `feedback`. Its times and ids then serve to find the run and are not merged. */
  readonly feedback: FeedbackChange | null;
  /** Long fields whose values were acknowledged with the change and not kept; see src/trace/run/run-size.ts. */
  readonly leftOut?: readonly BigField[];
}

export type ChangeKind = "post" | "patch" | "feedback";

/** The fields of a run that clients may send. */
export type RunFields = { readonly [C in SentColumn]: ValueOf<C> | null };

/** One feedback: its id, by which a later one replaces it, and its JSON text. */
export interface FeedbackEntry {
  readonly id: string;
  readonly json: string;
}

/** A change of one feedback: the whole of it, or `edit`: the members that change, or its deletion. */
export interface FeedbackChange extends FeedbackEntry {
  readonly edit?: "patch" | "delete";
}

/** A refusal of input; `loc` is the path of the invalid member. */
export type Invalid = Extract<Refusal, { readonly reason: "invalid" }>;
export type Location = readonly (string | number)[];

/**
 * Most bytes of one run in one request: a message between actors has at most 32 MiB, including some overhead [LIM-49].
 */
export const MAX_CHANGE_BYTES = 24 * 1024 * 1024;

/** The fields whose values are bytes and may be long. */
export type BigField = ColumnsWith<{ sent: number; kind: LongKind }>;

const isBigField = (field: SentColumn): field is BigField => isLong(COLUMNS[field].kind);

/** In the order of their bits. Stored changes depend on it: see src/trace/run/change-codec.ts. */
export const BIG_FIELDS: readonly BigField[] = SENT_COLUMNS.filter(isBigField);

// Every sent column is a field.
export const NO_FIELDS = Object.fromEntries(SENT_COLUMNS.map((field) => [field, null])) as unknown as RunFields;

/**
 * A post must have a start: the day of a run decides where it is stored. If only its dotted order has one, that becomes
 * its start time, even if a later change sends another dotted order.
 */
export function checkPost(change: RunChange, loc: Location): Result<RunChange, Invalid> {
  if (change.kind !== "post" || change.start_time !== null) return ok(change);
  const start = startOf(change);
  if (start !== null) return ok({ ...change, start_time: start });
  return invalid([...loc, "start_time"], "a run needs a start_time, or a dotted_order that ends in it", "missing");
}

/** Start of the run according to the fields: `start_time`, else the time in the dotted order. */
export const startOf = (fields: Pick<RunFields, "start_time" | "dotted_order">): number | null =>
  fields.start_time ?? (fields.dotted_order === null ? null : microsFromDottedOrder(fields.dotted_order));

/** Approximate memory of the change, to limit memory with. */
export function changeBytes(change: RunChange): number {
  let bytes = 512 + 2 * ((change.name?.length ?? 0) + (change.dotted_order?.length ?? 0));
  for (const field of BIG_FIELDS) bytes += change[field]?.length ?? 0;
  for (const tag of change.tags ?? []) bytes += 8 + 2 * tag.length;
  return bytes + 2 * (change.feedback?.json.length ?? 0);
}

export const invalid = (loc: Location, message: string, type: string): { ok: false; failure: Invalid } =>
  fail({ reason: "invalid", loc, message, type });

export const tooLarge = (loc: Location): { ok: false; failure: Invalid } =>
  invalid(loc, `a run may hold at most ${MAX_CHANGE_BYTES} bytes in one request`, "too_large");
