import { z } from "@hono/zod-openapi";
import { parseFilter } from "../../filter/parse/index.ts";

/** A filter expression, kept as sent; what is wrong with one is said with its place. */
export const filterText = z
  .string()
  .superRefine((text, context) => {
    const fault = filterFault(text);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  })
  .openapi({ description: 'Only runs that match, for example and(eq(status, "error"), gt(latency, "5s")).' });

/** What was expected and where, counted from 0; null: the text is a filter. */
export const filterFault = (text: string): string | null => {
  const parsed = parseFilter(text);
  if (parsed.ok) return null;
  const { position, message } = parsed.failure;
  return `The filter is wrong at position ${position}: ${message}`;
};
