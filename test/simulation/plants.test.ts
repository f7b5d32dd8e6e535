import { describe, expect, it } from "vitest";
import { simulate } from "./command-line.ts";
import { FLEET_PLANTS } from "./fleet/plants.ts";
import { PLANTS } from "./plants.ts";

/** Most seeds that a mistake may hide for. */
const SEEDS = "1500";

describe.each([
  { kind: "exports", plants: PLANTS },
  { kind: "fleet", plants: FLEET_PLANTS },
])("a planted mistake is found by its invariant, among $kind", ({ kind, plants }) => {
  it.each(plants)("$name: $breaks", ({ name, foundBy }) => {
    const said = simulate("--seeds", SEEDS, "--only", kind, "--plant", name);
    expect(said.text).toMatch(new RegExp(`^seed \\d+ breaks ${foundBy}:`, "m"));
    expect(said.exitCode).toBe(1);
  });
});
