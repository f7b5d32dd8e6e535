import { BIG_FIELDS, type BigField, type Invalid, invalid, type RunChange } from "./change.ts";

/**
 * How much a run holds, and which changes still fit. A change is measured before it is stored: what is stored is
 * exported whole, and a run that does not fit into memory could never be sealed.
 */

/**
 * Most bytes of the long fields of a run together [LIM-26]. While it is sealed, a run is in memory up to three times: its
 * row, the column being compressed, and the segment. An isolate has 128 MB (Cloudflare: Workers limits).
 */
export const MAX_RUN_BYTES = 32 * 1024 * 1024;

/** Shorter values are not counted, so that the sizes of most runs need not be stored. A run has five long fields at most. */
export const COUNTED_BYTES = 64 * 1024;

/** The counted values of a run, by their fields. */
export type CountedValues = ReadonlyMap<BigField, CountedValue>;

export interface CountedValue {
  readonly bytes: number;
  /** A patch has set it: no post replaces it. */
  readonly isPatched: boolean;
}

/** The counted values of the run after the change. Never less than the merged run holds (src/trace/run/merge.ts). */
export function countedAfter(values: CountedValues, change: RunChange): CountedValues {
  const isPatched = change.kind === "patch";
  const after = new Map(values);
  for (const field of BIG_FIELDS) {
    const bytes = change[field]?.length ?? null;
    if (bytes === null || (!isPatched && after.get(field)?.isPatched)) continue;
    if (bytes < COUNTED_BYTES) after.delete(field);
    else after.set(field, { bytes, isPatched });
  }
  return after;
}

/** Whether a run with these values is within the limit. */
export const isWithinLimit = (values: CountedValues): boolean =>
  [...values.values()].reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_RUN_BYTES;

/** Whether the change has a value that is counted. */
export const hasCountedValue = (change: RunChange): boolean =>
  BIG_FIELDS.some((field) => (change[field]?.length ?? 0) >= COUNTED_BYTES);

/** The change without the longest values, as far as the run has no room for them. It names their fields. */
export function withWhatFits(values: CountedValues, change: RunChange): RunChange {
  const leftOut: BigField[] = [];
  let fitting = change;
  while (!isWithinLimit(countedAfter(values, fitting))) {
    const longest = longestField(fitting);
    leftOut.push(longest);
    fitting = { ...fitting, [longest]: null };
  }
  return leftOut.length === 0 ? change : { ...fitting, leftOut };
}

const longestField = (change: RunChange): BigField =>
  BIG_FIELDS.reduce((longest, field) =>
    (change[field]?.length ?? 0) > (change[longest]?.length ?? 0) ? field : longest,
  );

/** The refusal of a change that the run has no room for. */
export const runTooLarge = ({ kind, id }: RunChange): Invalid =>
  invalid(
    [kind, id],
    `with this change the run would hold more than ${MAX_RUN_BYTES} bytes; nothing of the change was kept: send shorter values, or send the rest as a run of its own`,
    "too_large",
  ).failure;
