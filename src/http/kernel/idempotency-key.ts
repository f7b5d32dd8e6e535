import { z } from "@hono/zod-openapi";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { malformed, type RequestFailure } from "./problems.ts";

const NAME = "Idempotency-Key";
const MAX_CHARACTERS = 255;

const key = z
  .string()
  .max(MAX_CHARACTERS)
  .regex(/^[\x21-\x7e]+$/, { error: "Input should be visible ASCII text without spaces, and not empty" });

/** The header that makes a request safe to repeat. */
export const idempotencyHeader = z.object({
  [NAME]: key.optional().openapi({
    description:
      "Makes the request safe to repeat. A repetition with the same key creates nothing and returns the current record. The same key with a different request is refused.",
  }),
});

/** The key of the request; null: none. */
export const readIdempotencyKey = (request: Request): Result<string | null, RequestFailure> => {
  const sent = request.headers.get(NAME);
  if (sent === null) return ok(null);
  const parsed = key.safeParse(sent);
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [NAME.toLowerCase()] }));
  return fail(malformed("header", issues));
};
