import { z } from "@hono/zod-openapi";
import { parseFilter } from "../../filter/parse/index.ts";

/** A filter expression, as sent. The error text of an invalid one gives the position. */
export const filterText = z
  .string()
  .superRefine((text, context) => {
    const problem = filterProblem(text);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ description: 'Only runs that match, for example and(eq(status, "error"), gt(latency, "5s")).' });

/** Error text with the position, counted from 0; null: the filter is valid. */
export const filterProblem = (text: string): string | null => {
  const parsed = parseFilter(text);
  if (parsed.ok) return null;
  const { position, message } = parsed.failure;
  return `The filter is not valid at position ${position}: ${message}`;
};
