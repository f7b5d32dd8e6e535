import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { search } from "./leaks.ts";

/** Set up for every file of tests in workerd: all text that an actor stores is searched, its log of events above all. */
const storage = await runInDurableObject(env.WORKSPACE.getByName("any"), (_, { storage: { sql } }) => sql);
const prototype: SqlStorage = Object.getPrototypeOf(storage);
const { exec } = prototype;

prototype.exec = function (this: SqlStorage, query: string, ...values: readonly unknown[]) {
  for (const value of values) if (typeof value === "string") search(value, `what an actor stored: ${query}`);
  return exec.call(this, query, ...values);
} as typeof exec; // its type parameter says nothing about how it is called

afterAll(() => {
  prototype.exec = exec;
});
