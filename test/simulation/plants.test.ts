import { describe, expect, it } from "vitest";
import { simulate } from "./command-line.ts";
import { PLANTS } from "./plants.ts";

/** Most seeds that a mistake may hide for. */
const SEEDS = "1500";

describe("a planted mistake is found by its invariant", () => {
  it.each(PLANTS.map(({ name, breaks, foundBy }) => [name, breaks, foundBy]))("%s: %s", (name, _breaks, foundBy) => {
    const said = simulate("--seeds", SEEDS, "--plant", name);
    expect(said.text).toMatch(new RegExp(`^seed \\d+ breaks ${foundBy}:`, "m"));
    expect(said.exitCode).toBe(1);
  });
});
