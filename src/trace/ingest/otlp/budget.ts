/** What one request may make of its bytes: a hostile one says a lot in two bytes each. */

/** Most attributes, values, spans, events and links of one request; real ones take some ten bytes each [LIM-25]. */
export const MAX_VALUES = 1_000_000;

/** Deepest nesting of one value: as much as readers of protobuf allow. */
export const MAX_VALUE_DEPTH = 64;

/** Counts down while a request is read; below zero it is refused. */
export interface Budget {
  values: number;
}

/** Takes one from the budget; false when there is nothing left. */
export function spend(budget: Budget): boolean {
  budget.values -= 1;
  return budget.values >= 0;
}

/** Most brackets and commas of a request in JSON: two of each for an attribute, which takes 45 bytes at least. */
export const MAX_JSON_TOKENS = 2_000_000;
