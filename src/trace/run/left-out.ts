import { BIG_FIELDS, type BigField } from "./change.ts";

/** What a run lacks although it was acknowledged, because the run had no room for it: names of fields, in order. */
export type LeftOut = readonly LeftOutName[];

/** A long field, or some of the feedback on the run. */
export type LeftOutName = BigField | typeof FEEDBACK;

export const FEEDBACK = "feedback";

export const isLeftOut = (name: string): name is LeftOutName =>
  name === FEEDBACK || BIG_FIELDS.some((field) => field === name);

/** The names as the JSON list of a column; null where nothing is left out. */
export const leftOutList = (leftOut: LeftOut): Uint8Array | null =>
  leftOut.length === 0 ? null : new TextEncoder().encode(JSON.stringify(leftOut));

/** The names in such a list. */
export function leftOutIn(list: Uint8Array | null): LeftOut {
  const parsed: unknown = list === null ? [] : JSON.parse(new TextDecoder().decode(list));
  return Array.isArray(parsed) ? parsed.map(String).filter(isLeftOut) : [];
}
