import { format } from "node:util";
import { afterAll, afterEach, expect } from "vitest";
import { search, takeLeaks } from "./leaks.ts";

/**
 * Set up for every file of tests: each log line and each message of an error is searched for secrets, and a test in
 * which one was found, also by other searches, has failed.
 */
const { Error: OwnError, console } = globalThis;

for (const method of ["debug", "log", "info", "warn", "error"] as const) {
  const own = console[method];
  console[method] = (...words: readonly unknown[]): void => {
    search(format(...words), "a log line");
    own.apply(console, [...words]);
  };
  afterAll(() => {
    console[method] = own;
  });
}

globalThis.Error = new Proxy(OwnError, {
  construct: function watched(target, given: readonly unknown[], made: NewableFunction) {
    search(String(given[0]), "the message of an error");
    const error: Error = Reflect.construct(target, given, made);
    target.captureStackTrace(error, watched); // begins where it was made, not here
    return error;
  },
});
// The next file may run in the same process, with a watch of its own.
afterAll(() => {
  globalThis.Error = OwnError;
});

const assertNoLeaks = (): void => expect(takeLeaks()).toEqual([]);

afterEach(assertNoLeaks);
afterAll(assertNoLeaks);
