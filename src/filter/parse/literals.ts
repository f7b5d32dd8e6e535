import { ok, type Result } from "../../domain/shared/result.ts";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { microsFromIso } from "../../domain/shared/time-text.ts";
import { type FilterFailure, type LiteralSyntax, refuse } from "./syntax.ts";

/** Reads the values of a filter as the type of their field. */

/** `any`: the value has its own type. */
export type LiteralType = "text" | "uuid" | "time" | "duration" | "number" | "flag" | "any";

const MICROS_PER_SECOND = 1_000_000;

const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/;
const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ["ms", 0.001],
  ["s", 1],
  ["m", 60],
  ["h", 3600],
  ["d", 86_400],
]);

/** Expected form of a value, for messages. */
const EXPECTED: Readonly<Record<LiteralType, string>> = {
  text: "a text in quotes",
  uuid: "a UUID in quotes",
  time: 'a time such as "2026-11-01T00:00:00Z"',
  duration: 'a duration such as "5s" or "1.5m", or a number of seconds',
  number: "a number",
  flag: "true or false",
  any: "a text, a number, true or false",
};

/** The value in the unit of its field: microseconds for times and durations. null is not a value. */
export function readLiteral(
  type: LiteralType,
  { value, position }: LiteralSyntax,
): Result<string | number | boolean, FilterFailure> {
  const read = value === null ? null : readAs(type, value);
  return read === null ? refuse(position, `expected ${EXPECTED[type]}`) : ok(read);
}

function readAs(type: LiteralType, value: string | number | boolean): string | number | boolean | null {
  switch (type) {
    case "text":
      return typeof value === "string" ? value : null;
    case "uuid":
      return typeof value === "string" ? canonicalUuid(value) : null;
    case "time":
      return typeof value === "string" ? microsFromIso(value) : null;
    case "duration":
      return durationMicros(value);
    case "number":
      return typeof value === "number" ? value : null;
    case "flag":
      return typeof value === "boolean" ? value : null;
    case "any":
      return value;
  }
}

/** Rounded to microseconds, the unit of times. */
function durationMicros(value: string | number | boolean): number | null {
  if (typeof value === "boolean") return null;
  const seconds = typeof value === "number" ? value : durationSeconds(value);
  const micros = seconds === null ? null : Math.round(seconds * MICROS_PER_SECOND);
  return Number.isSafeInteger(micros) ? micros : null;
}

function durationSeconds(text: string): number | null {
  const [, amount, unit = ""] = DURATION.exec(text) ?? [];
  const seconds = UNIT_SECONDS.get(unit);
  return amount === undefined || seconds === undefined ? null : Number(amount) * seconds;
}
