import { z } from "@hono/zod-openapi";
import { closedObject } from "../kernel/fields.ts";

/** Names of environment variables (POSIX), which is what secrets become. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const MAX_SECRETS = 100;
const VALUE_MOST_CHARACTERS = 8192;

/**
 * Bytes of all values as JSON [LIM-44]. They stand in one event of 256 KiB at most (durable/journal/journal.ts): sealed
 * JSON in base64, beside other texts of up to 100 KiB.
 */
const ALL_MOST_BYTES = 65_536;

/** What the service itself puts into the environment of every agent. */
const RESERVED = /^(?:LANGSMITH|LANGCHAIN)_/;

const jsonBytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length;

/** Secrets as sent: a list of names and values, as an object by name. */
export const secretsSent = z
  .array(
    closedObject({
      name: z
        .string()
        .regex(NAME, { error: "Input should be a name of letters, digits and _, and no digit first" })
        .refine((name) => !RESERVED.test(name), { error: "Names that begin with LANGSMITH_ or LANGCHAIN_ are ours" }),
      value: z.string().max(VALUE_MOST_CHARACTERS),
    }),
  )
  .max(MAX_SECRETS)
  .superRefine((secrets, context) => {
    secrets.forEach(({ name }, at) => {
      if (secrets.findIndex((one) => one.name === name) === at) return;
      context.addIssue({ code: "custom", path: [at, "name"], message: `The secret ${name} is named twice` });
    });
    const bytes = secrets.reduce((sum, { value }) => sum + jsonBytes(value), 0);
    if (bytes > ALL_MOST_BYTES)
      context.addIssue({
        code: "custom",
        message: `All values together have more than ${ALL_MOST_BYTES} bytes as JSON`,
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
