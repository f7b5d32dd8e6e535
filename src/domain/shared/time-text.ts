import { isoFromMs } from "./time.ts";

/** Times in traces, as epoch microseconds; exact in a double until the year 2255. */

const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** `YYYYMMDDTHHMMSSffffffZ<run id>`, the last segment of a dotted order. */
const DOTTED_SEGMENT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{6})Z/;

/** From about this year on, a double no longer holds every microsecond. */
const TOO_LATE = Date.UTC(2255, 0, 1) * 1000;

/**
 * ISO 8601 with any offset; without one it is UTC. Digits below the microsecond are truncated. null: not such a text.
 */
export function microsFromIso(text: string): number | null {
  const match = TIMESTAMP.exec(text);
  if (match === null) return null;
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const at = microsOf(year, month, day, hour, minute, second, fraction.padEnd(6, "0").slice(0, 6));
  const offset = offsetMicros(zone);
  return at === null || offset === null ? null : inRange(at - offset);
}

/** Epoch milliseconds, whole or with a fraction. null: outside the years 1970 to 2254. */
export const microsFromEpochMs = (instant: number): number | null => inRange(Math.round(instant * 1000));

/** Epoch nanoseconds, truncated to microseconds. null: outside the years 1970 to 2254. */
export const microsFromEpochNanos = (instant: bigint): number | null => inRange(Number(instant / 1000n));

/** `2030-01-01T10:00:00.123456Z` */
export function isoFromMicros(instant: number): string {
  const belowMs = String(instant % 1000).padStart(3, "0");
  return `${isoFromMs(Math.floor(instant / 1000)).slice(0, -1)}${belowMs}Z`;
}

/** `2030-01-01T10:00:00.123Z`, with microseconds only where the instant has some. */
export const shortIsoFromMicros = (instant: number): string => isoFromMicros(instant).replace(/000Z$/, "Z");

/** A segment of a dotted order: the start time of the run, and its id. */
export const dottedSegment = (instant: number, runId: string): string =>
  `${isoFromMicros(instant).replaceAll(/[-:.]/g, "")}${runId}`;

/** The time in the last segment of a dotted order. null: there is none. */
export function microsFromDottedOrder(dottedOrder: string): number | null {
  const match = DOTTED_SEGMENT.exec(dottedOrder.slice(dottedOrder.lastIndexOf(".") + 1));
  if (match === null) return null;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "", fraction = ""] = match;
  const at = microsOf(year, month, day, hour, minute, second, fraction);
  return at === null ? null : inRange(at);
}

function microsOf(
  year: string,
  month: string,
  day: string,
  hour: string,
  minute: string,
  second: string,
  micros: string,
): number | null {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC turns the 31st of a shorter month into the 1st of the next one.
  if (new Date(midnight).getUTCDate() !== Number(day) || Number(month) > 12 || Number(month) < 1) return null;
  return (midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000) * 1000 + Number(micros);
}

function offsetMicros(zone: string): number | null {
  if (zone === "Z" || zone === "z") return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const [hours, minutesOfHour] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutesOfHour > 59) return null;
  const minutes = hours * 60 + minutesOfHour;
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000_000;
}

const inRange = (micros: number): number | null => (micros >= 0 && micros < TOO_LATE ? micros : null);
