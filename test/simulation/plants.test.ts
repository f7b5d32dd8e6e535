import { describe, expect, it } from "vitest";
import { simulate } from "./command-line.ts";
import type { Plant } from "./exports/plants.ts";
import { PLANTS } from "./exports/plants.ts";
import { FLEET_PLANTS } from "./fleet/plants.ts";

/** Most seeds that a mistake may hide for. */
const SEEDS = "1500";

/** Mistakes of several invariants that a few seeds find. */
const SOON_FOUND = [
  "alarm-not-armed-first",
  "crash-spends-a-retry",
  "manifest-before-the-last-run",
  "lease-given-twice",
  "active-before-it-is-healthy",
];

const rowsOf = (plants: readonly Plant[]) =>
  plants.map(({ name, breaks, foundBy }) => [name, breaks, foundBy] as const);

const find = (kind: string, name: string, foundBy: string): void => {
  const said = simulate("--seeds", SEEDS, "--only", kind, "--plant", name);
  expect(said.text).toMatch(new RegExp(`^seed \\d+ breaks (${foundBy}):`, "m"));
  expect(said.exitCode).toBe(1);
};

describe.each([
  ["exports", PLANTS],
  ["fleet", FLEET_PLANTS],
] as const)("worlds of the kind %s find a planted mistake by its invariant", (kind, plants) => {
  it.each(rowsOf(plants.filter(({ name }) => SOON_FOUND.includes(name))))("soon: %s (%s)", (name, _breaks, foundBy) =>
    find(kind, name, foundBy),
  );

  it.each(rowsOf(plants))("%s (%s)", { tags: "long" }, (name, _breaks, foundBy) => find(kind, name, foundBy));
});

it("the mistakes that are soon found are planted ones", () => {
  const names = [...PLANTS, ...FLEET_PLANTS].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(SOON_FOUND));
});
