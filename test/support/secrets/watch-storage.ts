import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { search } from "./leaks.ts";

/** Setup of all test files in workerd. Searches all text that an actor stores, including its event log. */
const storage = await runInDurableObject(env.WORKSPACE.getByName("any"), (_, { storage: { sql } }) => sql);
const prototype: SqlStorage = Object.getPrototypeOf(storage);
const { exec } = prototype;

prototype.exec = function (this: SqlStorage, query: string, ...values: readonly unknown[]) {
  for (const value of values) if (typeof value === "string") search(value, `what an actor stored: ${query}`);
  return exec.call(this, query, ...values);
} as typeof exec; // the type parameter does not affect the call

afterAll(() => {
  prototype.exec = exec;
});
