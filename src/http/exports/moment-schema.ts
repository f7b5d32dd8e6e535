import { z } from "@hono/zod-openapi";
import type { Moment } from "../../domain/shared/history.ts";
import { closedObject, parseInstant } from "../kernel/fields.ts";

const EVENT_NUMBER = /^\d{1,15}$/;

/** `as_of` of a record: the number of one of its events, or an ISO 8601 time. Absent: now. */
const asOf = z
  .string({ error: "Input should be given once" })
  .transform((text, context): Moment => {
    if (EVENT_NUMBER.test(text)) return { kind: "event", seq: Number(text) };
    const at = parseInstant(text);
    if (at !== null) return { kind: "instant", at };
    const message =
      "Input should be the number of an event, such as 7, or an ISO 8601 time, such as 2030-01-31T00:00:00Z";
    context.addIssue({ code: "custom", message, params: { type: "value_error" } });
    return z.NEVER;
  })
  .openapi({ type: "string", description: "Number of an event or a time: returns the record as it was then." });

/** The query of a record that is available as of a past moment. */
export const asOfQuery = closedObject({ as_of: asOf.optional() });
