import { z } from "@hono/zod-openapi";
import type { Moment } from "../../domain/shared/history.ts";
import { closedObject, parseInstant } from "../kernel/fields.ts";

const EVENT_NUMBER = /^\d{1,15}$/;

/** `as_of` of a record: the number of one of its events, or an ISO 8601 time; absent: the present. */
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
  .openapi({ type: "string", description: "The record as it was right after this event, or at this time." });

/** The query of a record that can be shown as it was. */
export const asOfQuery = closedObject({ as_of: asOf.optional() });
