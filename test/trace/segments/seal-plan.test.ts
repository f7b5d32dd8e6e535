import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChange, encodeChange } from "../../../src/trace/run/change-codec.ts";
import { mergeChanges, noRun } from "../../../src/trace/run/merge.ts";
import { candidateDays, dayOfChange, shardOf } from "../../../src/trace/run/routing.ts";
import {
  groupByRun,
  type HotChange,
  planSeal,
  type SealPolicy,
  startHint,
} from "../../../src/trace/segments/seal-plan.ts";
import { bytes, change, feedback, RUN_ID, START_MICROS } from "../samples.ts";

const NOW = 1_900_000_000_000;
const policy: SealPolicy = {
  scope: "due",
  now: NOW,
  hotBytes: 100,
  sealBytes: 1000,
  sealAgeMs: 60_000,
  maxHotBytes: 1e9,
};

let seq = 0;
const hot = (run: string, fields: Partial<HotChange> = {}): HotChange => {
  seq += 1;
  return { seq, run, kind: "post", start: START_MICROS, rank: 3, ended: false, at: NOW, bytes: 10, ...fields };
};
const plan = (changes: readonly HotChange[], over: Partial<SealPolicy> = {}, sealed: Record<string, number> = {}) =>
  planSeal(groupByRun(changes, new Map(Object.entries(sealed))), { ...policy, ...over });
const freshIds = (...given: Parameters<typeof plan>) => plan(...given).fresh.map(({ id }) => id);

describe("the plan of a seal", () => {
  it("includes runs that have ended, but not runs that may still change", () => {
    const changes = [hot("open"), hot("ended"), hot("ended", { kind: "patch", ended: true })];
    expect(freshIds(changes)).toEqual(["ended"]);
    expect(plan(changes).fresh[0]?.seqs).toHaveLength(2);
    expect(plan(changes).left).toEqual(new Set(["open"]));
    expect(plan(changes).oldestLeftAt).toBe(NOW);
  });

  it("includes old runs, and all runs above the hot limit or for a snapshot", () => {
    const changes = [hot("old", { at: NOW - 60_000 }), hot("young")];
    expect(freshIds(changes)).toEqual(["old"]);
    expect(freshIds(changes, { hotBytes: 4000 })).toEqual(["old", "young"]);
    expect(freshIds(changes, { maxHotBytes: 100 })).toEqual(["old", "young"]);
    expect(freshIds(changes, { scope: "everything" })).toEqual(["old", "young"]);
  });

  it("never includes a run without a start time, or with feedback only", () => {
    const changes = [
      hot("withoutStart", { kind: "patch", start: null }),
      hot("rated", { kind: "feedback", start: null, rank: 0 }),
    ];
    const left = new Set(["withoutStart", "rated"]);
    expect(plan(changes, { scope: "everything" })).toEqual({ fresh: [], folds: new Map(), left, oldestLeftAt: null });
  });

  it("folds changes into the segments of their sealed runs, even with another start time", () => {
    const changes = [hot("a", { kind: "patch", start: null }), hot("b", { kind: "feedback", start: null }), hot("c")];
    const { folds, fresh } = plan(changes, { scope: "everything" }, { a: 7, b: 7 });
    expect([...folds].map(([segment, runs]) => [segment, runs.map(({ id }) => id)])).toEqual([[7, ["a", "b"]]]);
    expect(fresh.map(({ id }) => id)).toEqual(["c"]);
  });

  it("orders new rows by start and id", () => {
    const changes = [hot("b"), hot("c", { start: START_MICROS - 1 }), hot("a")];
    expect(freshIds(changes, { scope: "everything" })).toEqual(["c", "a", "b"]);
  });

  it("has the same start time of a run as the merge", () => {
    const dotted_order = fc.constantFrom(null, "", "20300101T100000000001Zx", "20300102T100000000001Zx");
    const fields = fc.record({ start_time: fc.constantFrom(null, 5, 6), dotted_order });
    const postOrPatch = fc.tuple(fc.constantFrom("post", "patch"), fields).map(([kind, one]) => change(kind, one));
    const rated = fields.map((one) => ({ ...feedback("f", {}), ...one }));
    fc.assert(
      fc.property(fc.array(fc.oneof(postOrPatch, rated)), (changes) => {
        const stored = changes.map((one) => hot(RUN_ID, { kind: one.kind, ...startHint(one) }));
        const { start = null } = groupByRun(stored, new Map())[0] ?? {};
        expect(start).toBe(mergeChanges(noRun(RUN_ID), changes).fields.start_time);
      }),
    );
  });
});

describe("routing", () => {
  it("takes the day from the start time, else from the dotted order, and guesses it from ids of version 7", () => {
    expect(dayOfChange(change("post", { start_time: START_MICROS }))).toBe("2030-01-01");
    expect(dayOfChange(change("patch", { dotted_order: "20300102T000000000000Zx" }))).toBe("2030-01-02");
    expect(dayOfChange(change("patch"))).toBeNull();
    const id = "01b8b5d1-5e00-7000-8000-000000000001";
    const made = new Date(0x01b8b5d15e00).toISOString().slice(0, 10);
    expect(candidateDays(change("patch", { id }))).toEqual([made]);
    expect(candidateDays(change("patch", { id: id.replace("-7", "-4") }))).toEqual([]);
  });

  it("distributes ids evenly, and always in the same way", () => {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 4000; n += 1) {
      const shard = shardOf(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`, 4);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
    expect(shardOf("019aa000-0000-7000-8000-000000000001", 16)).toBe(13);
  });
});

it("a stored change is decoded unchanged", () => {
  const changes = [
    change("post", {
      inputs: bytes("{}"),
      error: bytes(""),
      events: bytes("[1]"),
      tags: ["ä"],
      start_time: START_MICROS,
    }),
    change("patch"),
    feedback("f", { key: "k" }),
  ];
  for (const one of changes) expect(decodeChange(encodeChange(one))).toEqual(one);
});
