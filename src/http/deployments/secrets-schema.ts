import { z } from "@hono/zod-openapi";
import { closedObject } from "../kernel/fields.ts";

/** Secrets become environment variables, so they have names as POSIX allows. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const MAX_SECRETS = 100;
const MAX_VALUE_CHARACTERS = 8192;

/**
 * Bytes of all values together, as JSON [LIM-44]. They are stored in one event, which has 256 KiB at most
 * (durable/journal/event-log.ts): sealed, in base64, in addition to other texts of up to 100 KiB.
 */
const MAX_TOTAL_BYTES = 65_536;

/** Names that the service itself sets in the environment of every agent. */
const RESERVED = /^(?:LANGSMITH|LANGCHAIN)_/;

const jsonBytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length;

/** Secrets as they are sent, a list of names and values; read as an object of values by name. */
export const secretsSent = z
  .array(
    closedObject({
      name: z
        .string()
        .regex(NAME, { error: "Input should have only letters, digits and _, and no digit first" })
        .refine((name) => !RESERVED.test(name), {
          error: "Names that begin with LANGSMITH_ or LANGCHAIN_ are reserved",
        }),
      value: z.string().max(MAX_VALUE_CHARACTERS),
    }),
  )
  .max(MAX_SECRETS)
  .superRefine((secrets, context) => {
    secrets.forEach(({ name }, at) => {
      if (secrets.findIndex((one) => one.name === name) === at) return;
      context.addIssue({ code: "custom", path: [at, "name"], message: `The secret ${name} is named twice` });
    });
    const bytes = secrets.reduce((sum, { value }) => sum + jsonBytes(value), 0);
    if (bytes > MAX_TOTAL_BYTES)
      context.addIssue({
        code: "custom",
        message: `All values together have more than ${MAX_TOTAL_BYTES} bytes as JSON`,
      });
  })
  .transform((secrets) => Object.fromEntries(secrets.map(({ name, value }) => [name, value])))
  .openapi({
    type: "array",
    items: {
      type: "object",
      properties: { name: { type: "string" }, value: { type: "string" } },
      required: ["name", "value"],
    },
  });
