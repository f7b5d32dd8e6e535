/** Limits on what one request expands to: a hostile one can encode a value in two bytes. */

/** Most attributes, values, spans, events and links of one request; real ones take some ten bytes each [LIM-25]. */
export const MAX_VALUES = 1_000_000;

/** Deepest nesting of one value: the usual limit of protobuf readers. */
export const MAX_VALUE_DEPTH = 64;

/** Counts down while a request is read. Below zero the request is refused. */
export interface Budget {
  values: number;
}

/** Spends one unit of the budget; false when it is exhausted. */
export function spend(budget: Budget): boolean {
  budget.values -= 1;
  return budget.values >= 0;
}

/** Most brackets and commas of a JSON request: two of each for an attribute, which has at least 45 bytes. */
export const MAX_JSON_TOKENS = 2_000_000;
