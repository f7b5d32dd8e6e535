import { describe, expect, it } from "vitest";
import { simulate } from "./command-line.ts";
import type { Plant } from "./exports/plants.ts";
import { PLANTS } from "./exports/plants.ts";
import { FLEET_PLANTS } from "./fleet/plants.ts";

/** Maximum number of seeds until a mistake is found. */
const SEEDS = "2000";

/** Mistakes of several invariants that are found within a few seeds. */
const FOUND_SOON = [
  "alarm-not-armed-first",
  "crash-spends-a-retry",
  "manifest-before-the-last-run",
  "lease-given-twice",
  "active-before-it-is-healthy",
];

const rowsOf = (plants: readonly Plant[]) =>
  plants.map(({ name, breaks, foundBy }) => [name, breaks, foundBy] as const);

const find = (kind: string, name: string, foundBy: string): void => {
  const result = simulate("--seeds", SEEDS, "--only", kind, "--plant", name);
  expect(result.text).toMatch(new RegExp(`^seed \\d+ breaks (${foundBy}):`, "m"));
  expect(result.exitCode).toBe(1);
};

describe.each([
  ["exports", PLANTS],
  ["fleet", FLEET_PLANTS],
] as const)("in worlds of the kind %s a planted mistake violates its invariant", (kind, plants) => {
  it.each(rowsOf(plants.filter(({ name }) => FOUND_SOON.includes(name))))("soon: %s (%s)", (name, _breaks, foundBy) =>
    find(kind, name, foundBy),
  );

  it.each(rowsOf(plants))("%s (%s)", { tags: "long" }, (name, _breaks, foundBy) => find(kind, name, foundBy));
});

it("the mistakes listed as found soon are planted mistakes", () => {
  const names = [...PLANTS, ...FLEET_PLANTS].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(FOUND_SOON));
});
