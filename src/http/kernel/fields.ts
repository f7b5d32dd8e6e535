import { z } from "@hono/zod-openapi";
import { isoFromMs } from "../../domain/shared/time.ts";
import { microsFromIso } from "../../domain/shared/time-text.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id in a request: a UUID of any version, in either letter case. The result is in lower case. */
export const uuid = z
  .string({ error: (issue) => (issue.input === undefined ? undefined : "Input should be a UUID, as text") })
  .refine((text) => UUID.test(text), {
    error: "Input should be a UUID, such as 6f1e3b5a-9c0d-4e2f-8a7b-0123456789ab",
    params: { type: "uuid_parsing" },
  })
  .transform((text) => text.toLowerCase())
  .openapi({ type: "string", format: "uuid" });

/** An id in an answer. */
export const shownUuid = z.string().openapi({ format: "uuid" });

/** An instant in an answer: ISO 8601 in UTC with milliseconds, `2030-01-01T00:00:00.000Z`. */
export const shownInstant = z.string().openapi({ format: "date-time", example: "2030-01-01T00:00:00.000Z" });

/** Epoch milliseconds as shown; null stays null. */
export const isoOrNull = (instant: number | null): string | null => (instant === null ? null : isoFromMs(instant));

const INSTANT =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<clock>\d{2}:\d{2}(?::\d{2})?)(?:[.,](?<fraction>\d{1,9}))?(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Years outside are typing errors. Microseconds since 1970 are exact in a double until 2255. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2254;

const instantOf = (parse: (text: string) => number | null) =>
  z
    .string({
      error: (issue) => (issue.input === undefined ? undefined : "Input should be an ISO 8601 time, as text"),
    })
    .transform((text, context) => {
      const parsed = parse(text);
      if (parsed !== null) return parsed;
      context.addIssue({
        code: "custom",
        message: `Input should be an ISO 8601 time between ${FIRST_YEAR} and ${LAST_YEAR}, such as 2030-01-31T00:00:00Z`,
        params: { type: "datetime_parsing" },
      });
      return z.NEVER;
    })
    .openapi({ type: "string", format: "date-time" });

/** An instant in a request: ISO 8601, in UTC unless a zone is given, as epoch milliseconds. */
export const instant = instantOf((text) => parseInstant(text));

/** An instant that is compared with times of runs, as epoch microseconds. Digits below the microsecond are cut off. */
export const runInstant = instantOf(microsFromIso);

/**
 * Epoch milliseconds of an ISO 8601 text; null if it is not one. Finer fractions are rounded to the nearest millisecond,
 * so equal texts give equal instants and adjacent windows stay adjacent.
 */
export const parseInstant = (text: string): number | null => {
  const groups = INSTANT.exec(text)?.groups;
  if (groups === undefined) return null;
  const clock = groups.clock ?? "00:00";
  const local = `${groups.day}T${clock.length === 5 ? `${clock}:00` : clock}`;
  const wholeSeconds = Date.parse(`${local}.000Z`);
  // Some engines parse 30 February as 2 March, so the parsed day is compared with the text.
  if (Number.isNaN(wholeSeconds) || !isoFromMs(wholeSeconds).startsWith(local)) return null;
  const offsetMs = offsetOf(groups.zone ?? "Z");
  if (offsetMs === null) return null;
  const milliseconds = Math.round(Number(`0.${groups.fraction ?? "0"}`) * 1000);
  const parsed = wholeSeconds - offsetMs + milliseconds;
  const year = new Date(parsed).getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR ? parsed : null;
};

const offsetOf = (zone: string): number | null => {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
};

/** An object whose unknown members are refused: a misspelt optional member must not count as absent. */
export const closedObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? membersOf(Object.keys(shape)) : undefined),
  });

const membersOf = (names: readonly string[]): string =>
  names.length === 0 ? "No member is supported here." : `Supported members: ${names.join(", ")}.`;

/** The schema of a request without path parameters or without a query. */
export const noMembers = z.object({});

/** Upper limit of the page size of any list [LIM-42]. */
export const MAX_PER_PAGE = 1000;

/** A whole number in a query, both bounds included. */
export const wholeNumber = (min: number, max: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: `Input should be a whole number from ${min} to ${max}` })
    .transform(Number)
    .refine((value) => value >= min && value <= max, {
      error: `Input should be a whole number from ${min} to ${max}`,
    })
    .openapi({ type: "integer", minimum: min, maximum: max });

/**
 * `limit` (1 to `max`) and `offset` of a list; without `limit`, `defaultLimit` (null: no limit). To be used in a closed
 * object, because the caller would not notice that an unknown filter has no effect.
 */
export const paging = <Default extends number | null>(defaultLimit: Default, max = MAX_PER_PAGE) =>
  ({
    limit: wholeNumber(1, max)
      .optional()
      .transform((limit) => limit ?? defaultLimit),
    offset: wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .transform((offset) => offset ?? 0),
  }) as const;

/** `true` or `false` in a query, in any letter case: Python clients send `True`. */
export const queryBoolean = z
  .string()
  .toLowerCase()
  .pipe(z.enum(["true", "false"], { error: "Input should be true or false" }))
  .transform((word) => word === "true")
  .openapi({ type: "boolean" });

/** A boolean in a query; false if absent. */
export const optionalQueryBoolean = queryBoolean.optional().transform((value) => value ?? false);

/** A member of a query that may be sent several times; null if absent. */
export const severalOf = <One extends z.ZodType<string, string>>(one: One) =>
  z
    .preprocess((sent) => (sent === undefined ? undefined : [sent].flat()), z.array(one).max(MAX_PER_PAGE).optional())
    .transform((values) => values ?? null);
