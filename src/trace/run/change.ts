import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { microsFromDottedOrder } from "../../domain/shared/time-text.ts";

/**
 * What one post, patch or feedback says about one run. Plain data. Null means: not said; an explicit null in the
 * JSON is the same. Times are epoch microseconds. `inputs`, `outputs`, `extra` and `events` are the JSON bytes as
 * received, `error` is UTF-8 text.
 */
export interface RunChange extends RunFields {
  readonly kind: ChangeKind;
  /** Id of the run, a UUID in lower case. */
  readonly id: string;
  /** Null: unknown, the run must be looked for. A post that names none belongs to `default`. */
  readonly project: { readonly id: string } | { readonly name: string } | null;
  /** Only on a change of kind `feedback`. Its times and ids then serve to find the run and are not merged. */
  readonly feedback: FeedbackSaid | null;
}

export type ChangeKind = "post" | "patch" | "feedback";

/** The fields of a run that a client may set. */
export interface RunFields {
  readonly trace_id: string | null;
  readonly parent_run_id: string | null;
  readonly dotted_order: string | null;
  readonly name: string | null;
  readonly run_type: string | null;
  readonly start_time: number | null;
  readonly end_time: number | null;
  readonly tags: readonly string[] | null;
  readonly reference_example_id: string | null;
  readonly trace_tier: string | null;
  readonly inputs: Uint8Array | null;
  readonly outputs: Uint8Array | null;
  readonly error: Uint8Array | null;
  readonly extra: Uint8Array | null;
  readonly events: Uint8Array | null;
}

/** One feedback: its id, by which a second one replaces it, and its JSON text. */
export interface FeedbackEntry {
  readonly id: string;
  readonly json: string;
}

/** What is said of a feedback: the whole of it, or `edit`: the members that change, or that it is gone. */
export interface FeedbackSaid extends FeedbackEntry {
  readonly edit?: "patch" | "delete";
}

/** A refusal of what was sent; `loc` leads to the member at fault. */
export type Invalid = Extract<Refusal, { readonly reason: "invalid" }>;
export type Location = readonly (string | number)[];

/** Most bytes of one run in one request: a message between actors has up to 32 MiB, and needs room around it [LIM-26]. */
export const MAX_RUN_BYTES = 24 * 1024 * 1024;

export const BIG_FIELDS = ["inputs", "outputs", "error", "extra", "events"] as const;
export type BigField = (typeof BIG_FIELDS)[number];

export const NO_FIELDS: RunFields = {
  trace_id: null,
  parent_run_id: null,
  dotted_order: null,
  name: null,
  run_type: null,
  start_time: null,
  end_time: null,
  tags: null,
  reference_example_id: null,
  trace_tier: null,
  inputs: null,
  outputs: null,
  error: null,
  extra: null,
  events: null,
};

/**
 * A post must say when its run began: its day decides where it is kept. Where its dotted order alone says so, that is
 * its start time from then on, whatever becomes of the dotted order.
 */
export function checkPost(change: RunChange, loc: Location): Result<RunChange, Invalid> {
  if (change.kind !== "post" || change.start_time !== null) return ok(change);
  const start = startOf(change);
  if (start !== null) return ok({ ...change, start_time: start });
  return invalid([...loc, "start_time"], "a run needs a start_time, or a dotted_order that ends in it", "missing");
}

/** When the run began as far as the fields say: `start_time`, else the time in the dotted order. */
export const startOf = (fields: Pick<RunFields, "start_time" | "dotted_order">): number | null =>
  fields.start_time ?? (fields.dotted_order === null ? null : microsFromDottedOrder(fields.dotted_order));

/** Bytes that the change occupies, near enough to bound memory with. */
export function changeBytes(change: RunChange): number {
  let bytes = 512 + 2 * ((change.name?.length ?? 0) + (change.dotted_order?.length ?? 0));
  for (const field of BIG_FIELDS) bytes += change[field]?.length ?? 0;
  for (const tag of change.tags ?? []) bytes += 8 + 2 * tag.length;
  return bytes + 2 * (change.feedback?.json.length ?? 0);
}

export const invalid = (loc: Location, message: string, type: string): { ok: false; failure: Invalid } =>
  fail({ reason: "invalid", loc, message, type });

export const tooLarge = (loc: Location): { ok: false; failure: Invalid } =>
  invalid(loc, `a run may hold at most ${MAX_RUN_BYTES} bytes in one request`, "too_large");
