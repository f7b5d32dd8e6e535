import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `npm run test:long` runs. */
    isLong: boolean;
  }
}

/** Rounds of a random search: `few` in `npm test`, `many` in `npm run test:long`. Its test has the tag `search`. */
export const rounds = (few: number, many: number): number => (inject("isLong") ? many : few);
