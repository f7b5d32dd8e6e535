import { format } from "node:util";
import { afterAll, afterEach, expect } from "vitest";
import { search, takeLeaks } from "./leaks.ts";

/**
 * Setup of all test files. Searches each log line and each error message for secrets, and fails a test in which this or
 * another search found one.
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
    target.captureStackTrace(error, watched); // without this proxy
    return error;
  },
});
// The next file may run in the same process and install its own proxy.
afterAll(() => {
  globalThis.Error = OwnError;
});

const assertNoLeaks = (): void => expect(takeLeaks()).toEqual([]);

afterEach(assertNoLeaks);
afterAll(assertNoLeaks);
