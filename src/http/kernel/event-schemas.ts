import { z } from "@hono/zod-openapi";
import { closedObject, MAX_PER_PAGE, shownInstant, wholeNumber } from "./fields.ts";

export const EVENTS_PER_PAGE = 100;

/** The query for a page of a log. `after` is the number of the last event that the client has. */
export const eventsQuery = closedObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .transform((after) => after ?? 0),
  limit: wholeNumber(1, MAX_PER_PAGE)
    .optional()
    .transform((limit) => limit ?? EVENTS_PER_PAGE),
});

/** An event in an answer. `data` holds its members under the names of the API. `texts`: meaning of each type. */
export const eventShown = (texts: Readonly<Record<string, string>>) =>
  z.object({
    seq: z.int().openapi({ description: "Number of the event in the log, from 1." }),
    at: shownInstant,
    type: z.enum(Object.keys(texts)).openapi({
      description: Object.entries(texts)
        .map(([type, text]) => `${type}: ${text}`)
        .join("\n"),
    }),
    data: z.record(z.string(), z.unknown()),
  });

export const eventPageShown = (name: string, texts: Readonly<Record<string, string>>) =>
  z
    .object({
      events: z.array(eventShown(texts).openapi(name)),
      next_after: z
        .int()
        .nullable()
        .openapi({ description: "Send as `after` to get the next page; null: no more events so far." }),
    })
    .openapi(`${name}s`);

/** An event in its wire shape. */
export type ShownEvent = z.output<ReturnType<typeof eventShown>>;
