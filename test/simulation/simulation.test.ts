import { describe, expect, it } from "vitest";
import { exportsIn, faultsIn, revisionsIn, simulate, traceIn } from "./command-line.ts";
import { FAULTS, LISTENER_FAULTS } from "./kernel/faults.ts";

describe("the simulation", () => {
  it("lives through a thousand exports, and a thousand revisions of deployments, in which everything goes wrong, and breaks no invariant", () => {
    const said = simulate("--seeds", "400");
    expect(said.text).not.toContain("breaks");
    expect(said.exitCode).toBe(0);
    expect(exportsIn(said)).toBeGreaterThan(1000);
    expect(revisionsIn(said)).toBeGreaterThan(1000);
    expect([...faultsIn(said).keys()].sort()).toEqual(Object.keys({ ...FAULTS, ...LISTENER_FAULTS }).sort());
  });

  it.each([
    ["exports", "25972663", "a snapshot that hung was taken for one that was asked for five minutes later"],
    ["fleet", "9100590", "a key was revoked before the late call that adds it"],
    ["fleet", "9100952", "the same, after the deployment's process died"],
  ])("of the kind %s with seed %s, which once found a defect, breaks no invariant: %s", (kind, seed) => {
    expect(simulate("--seeds", "1", "--from", seed, "--only", kind).exitCode).toBe(0);
  });

  it("is deterministic: the same seeds give the same events at the same instants", () => {
    const [once, again] = [simulate("--seeds", "30", "--from", "7"), simulate("--seeds", "30", "--from", "7")];
    expect(traceIn(once)).toMatch(/^[0-9a-f]{6,}$/);
    expect(traceIn(again)).toBe(traceIn(once));
    expect(traceIn(simulate("--seeds", "30", "--from", "8"))).not.toBe(traceIn(once));
  });

  it.each([
    [["--seeds", "10,000"], '--seeds must be a whole number of at least 1, in digits only; it is "10,000".'],
    [["--seeds", "0"], "--seeds"],
    [["--from", "x"], "--from"],
    [["--only", "export"], '--only must be one of exports, fleet; it is "export".'],
    [["--seed", "5"], "Unknown option '--seed'"],
  ])("does not pass for sound when %j names no world to live through", (parameters, words) => {
    const said = simulate(...parameters);
    expect(said.exitCode).toBe(1);
    expect(said.text).toContain(words);
    expect(said.text).toContain("Usage: npm run simulate");
  });
});
