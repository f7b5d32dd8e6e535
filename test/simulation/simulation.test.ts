import { describe, expect, it } from "vitest";
import { rounds } from "../support/rounds.ts";
import { exportsIn, faultsIn, revisionsIn, simulate, traceIn } from "./command-line.ts";
import { FAULTS, LISTENER_FAULTS } from "./kernel/faults.ts";

describe("the simulation", () => {
  it("runs a hundred exports and a hundred revisions of deployments without violating an invariant", () => {
    const result = simulate("--seeds", "50");
    expect(result.text).not.toContain("breaks");
    expect(result.exitCode).toBe(0);
    expect(exportsIn(result)).toBeGreaterThan(100);
    expect(revisionsIn(result)).toBeGreaterThan(100);
  });

  it("runs a thousand exports and a thousand revisions of deployments with every kind of fault without violating an invariant", {
    tags: "long",
  }, () => {
    const result = simulate("--seeds", "330");
    expect(result.text).not.toContain("breaks");
    expect(result.exitCode).toBe(0);
    expect(exportsIn(result)).toBeGreaterThan(1000);
    expect(revisionsIn(result)).toBeGreaterThan(1000);
    expect([...faultsIn(result).keys()].sort()).toEqual(Object.keys({ ...FAULTS, ...LISTENER_FAULTS }).sort());
  });

  it.each([
    ["fleet", "9100590", "a key was revoked before the late call that adds it"],
    ["fleet", "9100952", "a key was revoked before the late call that adds it, after the deployment's process died"],
  ])("violates no invariant in the world of kind %s with seed %s, which once found a defect: %s", (kind, seed) => {
    expect(simulate("--seeds", "1", "--from", seed, "--only", kind).exitCode).toBe(0);
  });

  it("is deterministic: the same seeds give the same events at the same instants", { tags: "search" }, () => {
    const seeds = String(rounds(6, 15));
    const [once, again] = [simulate("--seeds", seeds, "--from", "7"), simulate("--seeds", seeds, "--from", "7")];
    expect(traceIn(once)).toMatch(/^[0-9a-f]{6,}$/);
    expect(traceIn(again)).toBe(traceIn(once));
    expect(traceIn(simulate("--seeds", seeds, "--from", "8"))).not.toBe(traceIn(once));
  });

  it.each([
    [["--seeds", "10,000"], '--seeds must be a whole number of at least 1, in digits only; it is "10,000".'],
    [["--seeds", "0"], "--seeds"],
    [["--from", "x"], "--from"],
    [["--only", "export"], '--only must be one of exports, fleet; it is "export".'],
    [["--seed", "5"], "Unknown option '--seed'"],
  ])("refuses the invalid parameters %j and prints its usage", (parameters, words) => {
    const result = simulate(...parameters);
    expect(result.exitCode).toBe(1);
    expect(result.text).toContain(words);
    expect(result.text).toContain("Usage: npm run simulate");
  });
});
