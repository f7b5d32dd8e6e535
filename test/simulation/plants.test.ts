import { describe, expect, it } from "vitest";
import { simulate } from "./command-line.ts";
import { PLANTS } from "./exports/plants.ts";
import { FLEET_PLANTS } from "./fleet/plants.ts";

/** Most seeds that a mistake may hide for. */
const SEEDS = "1500";

describe.each([
  ["exports", PLANTS],
  ["fleet", FLEET_PLANTS],
] as const)("a planted mistake is found by its invariant, in worlds of the kind %s", (kind, plants) => {
  it.each(plants.map(({ name, breaks, foundBy }) => [name, breaks, foundBy]))("%s: %s", (name, _breaks, foundBy) => {
    const said = simulate("--seeds", SEEDS, "--only", kind, "--plant", name);
    expect(said.text).toMatch(new RegExp(`^seed \\d+ breaks (${foundBy}):`, "m"));
    expect(said.exitCode).toBe(1);
  });
});
