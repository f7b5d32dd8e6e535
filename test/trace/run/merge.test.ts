import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { BIG_FIELDS, type RunChange } from "../../../src/trace/run/change.ts";
import { decodeChange, encodeChange } from "../../../src/trace/run/change-codec.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { MAX_RUN_FEEDBACK_BYTES } from "../../../src/trace/run/feedback-list.ts";
import { mergeChanges, noRun, runOfRow } from "../../../src/trace/run/merge.ts";
import { bytes, change, feedback, PARENT_ID, RUN_ID, START_MICROS } from "../samples.ts";

const merge = (...changes: RunChange[]) => mergeChanges(noRun(RUN_ID), changes);
const row = (...changes: RunChange[]): SegmentRow => {
  const derived = deriveRow(merge(...changes));
  if (derived === null) throw new Error("not exportable");
  return derived;
};

const text = (json: Uint8Array | null): string => new TextDecoder().decode(json ?? new Uint8Array());

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 2 });
const json = fc.jsonValue({ maxDepth: 1 }).map((value) => bytes(JSON.stringify({ value })));
const fields = fc.record({
  name: maybe(fc.string()),
  run_type: maybe(fc.constantFrom("llm", "tool")),
  dotted_order: maybe(fc.constantFrom("", "20300101T100000000001Zx", "20300102T100000000001Zx")),
  end_time: maybe(fc.nat()),
  tags: maybe(fc.array(fc.string(), { maxLength: 2 })),
  trace_tier: maybe(fc.constantFrom("longlived", "shortlived")),
  inputs: maybe(json),
  outputs: maybe(json),
  error: maybe(fc.string().map(bytes)),
});
const start = fc.nat().map((seconds) => START_MICROS + seconds);
const posts = fc.tuple(fields, start).map(([said, start_time]) => change("post", { ...said, start_time }));
const patches = fields.map((said) => change("patch", said));
const feedbacks = fc
  .uniqueArray(fc.nat({ max: 5 }), { maxLength: 3 })
  .map((ids) => ids.map((n) => feedback(`f${n}`, { key: "k", score: n })));

/** A post, some patches in their order, some feedback, and the position of each on arrival. */
const arrivals = fc
  .record({ post: posts, patches: fc.array(patches, { maxLength: 4 }), feedbacks })
  .chain(({ post, patches: inOrder, feedbacks: free }) => {
    const size = 1 + inOrder.length + free.length;
    return fc.tuple(
      fc.constant({ post, inOrder, free }),
      fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      fc.nat({ max: size }),
    );
  })
  .map(([{ post, inOrder, free }, positions, cut]) => {
    const tagged = [post, ...inOrder, ...free];
    const shuffled = positions.map((position) => tagged[position] ?? post);
    let next = 0;
    // The patches keep their relative order.
    const arrived = shuffled.map((one) => (one.kind === "patch" ? (inOrder[next++] ?? one) : one));
    return { sent: tagged, arrived, cut };
  });

describe("merging the changes of a run", () => {
  it("prefers a patch to a post, in any order of arrival", () => {
    const post = change("post", { name: "post", start_time: START_MICROS, inputs: bytes("{}") });
    const patch = change("patch", { name: "patch", outputs: bytes("{}") });
    expect(merge(post, patch)).toEqual(merge(patch, post));
    expect(merge(post, patch).fields).toMatchObject({ name: "patch", inputs: bytes("{}"), outputs: bytes("{}") });
  });

  it("prefers a later patch to an earlier one and never clears by omission", () => {
    const merged = merge(change("patch", { name: "a", run_type: "llm" }), change("patch", { name: "b" }));
    expect(merged.fields).toMatchObject({ name: "b", run_type: "llm" });
  });

  it("gives the same run for every order of the same changes", () => {
    fc.assert(
      fc.property(arrivals, ({ sent, arrived }) => {
        expect(merge(...arrived)).toEqual(merge(...sent));
      }),
    );
  });

  it("gives the same row when the run was sealed in between", () => {
    fc.assert(
      fc.property(arrivals, ({ sent, arrived, cut }) => {
        const sealed = deriveRow(merge(...arrived.slice(0, cut)));
        if (sealed === null) return;
        const folded = deriveRow(mergeChanges(runOfRow(sealed), arrived.slice(cut)));
        expect(folded).toEqual(row(...sent));
      }),
    );
  });

  it("takes the start time from the first dotted order, despite later ones and whenever the run is sealed", () => {
    const dotted = (day: string) => change("patch", { dotted_order: `${day}T100000123456Z${RUN_ID}` });
    const later = [dotted("20300103"), change("patch", { dotted_order: "" })];
    const sealed = runOfRow(row(dotted("20300101")));
    const expected = { start_time: START_MICROS, dotted_order: "" };
    expect(row(dotted("20300101"), ...later)).toMatchObject(expected);
    expect(deriveRow(mergeChanges(sealed, later))).toMatchObject(expected);
    expect(row(...later, change("post", { start_time: START_MICROS }))).toMatchObject(expected);
  });

  it("gives the same run when every change is repeated", () => {
    fc.assert(
      fc.property(arrivals, ({ arrived }) => {
        expect(merge(...arrived, ...arrived)).toEqual(merge(...arrived));
      }),
    );
  });

  it("replaces a feedback by a later one of the same id", () => {
    const merged = merge(
      feedback("b", { key: "k", score: 0 }),
      feedback("a", { key: "k" }),
      feedback("b", { key: "k", score: 1 }),
    );
    expect(merged.feedback.map(({ json: entry }) => JSON.parse(entry))).toEqual([
      { id: "a", key: "k" },
      { id: "b", key: "k", score: 1 },
    ]);
  });
});

describe("what a run has no room for", () => {
  it("is left out of the feedback on it, the earlier feedback is kept, and the run says so", () => {
    const comment = (id: string, length: number) => feedback(id, { key: "k", comment: "c".repeat(length) });
    const most = MAX_RUN_FEEDBACK_BYTES / 2;
    const kept = merge(comment("a", most), comment("b", most), comment("c", 10), comment("a", 5), comment("d", 10));
    expect(kept.feedback.map(({ id }) => id)).toEqual(["a", "c", "d"]);
    const long = (id: string) => feedback(id, { key: "k", comment: "長".repeat(most / 3) });
    expect(merge(long("a"), long("b")).feedback.map(({ id }) => id)).toEqual(["a"]);
    expect(kept.leftOut).toEqual(["feedback"]);
    expect(runOfRow(row(change("post", { start_time: START_MICROS }), long("a"), long("b"))).leftOut).toEqual([
      "feedback",
    ]);
  });

  it("is named by the run, also after its seal, until a patch sets the field again", () => {
    const post = change("post", { start_time: START_MICROS });
    const cut: RunChange = { ...change("patch", { name: "n" }), leftOut: ["outputs", "events"] };
    const merged = merge(post, cut, change("post", { outputs: bytes("{}"), start_time: START_MICROS }));
    expect([merged.fields.name, merged.leftOut]).toEqual(["n", ["events", "outputs"]]);
    const sealed = runOfRow(row(post, cut));
    expect(sealed.leftOut).toEqual(["events", "outputs"]);
    expect(mergeChanges(sealed, [change("patch", { outputs: bytes("{}") })]).leftOut).toEqual(["events"]);
  });
});

it("A merged run uses at most twice its size in memory, even if larger values were replaced", () => {
  const long = new Uint8Array(1024 * 1024);
  const short = bytes("{}");
  const fieldsInTurn = [...BIG_FIELDS, ...BIG_FIELDS.slice(0, 1)];
  const changes = fieldsInTurn.map((field, turn) => {
    const before = fieldsInTurn[turn - 1];
    return decodeChange(encodeChange(change("patch", { [field]: long, ...(before && { [before]: short }) })));
  });
  const { fields: run } = merge(...changes, change("patch", { inputs: short }));
  const values = BIG_FIELDS.map((field) => run[field]);
  expect(values).toEqual(BIG_FIELDS.map(() => short));
  const held = new Set(values.map((value) => value?.buffer));
  expect([...held].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0)).toBeLessThanOrEqual(20);
});

describe("deriving the row of a run", () => {
  const post = change("post", { start_time: START_MICROS });
  const withJson = (given: { outputs?: object; extra?: object; events?: object }) =>
    row(
      change("post", {
        start_time: START_MICROS,
        ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, bytes(JSON.stringify(value))])),
      }),
    );

  it("gives no row without a start time, or for feedback alone", () => {
    expect(deriveRow(merge(change("patch", { name: "x" })))).toBeNull();
    expect(deriveRow(merge({ ...feedback("a", { key: "k" }), start_time: START_MICROS }))).toBeNull();
  });

  it("gives the status pending, then success or error", () => {
    expect(row(post).status).toBe("pending");
    expect(row(post, change("patch", { end_time: START_MICROS })).status).toBe("success");
    expect(row(post, change("patch", { end_time: START_MICROS, error: bytes("boom") })).status).toBe("error");
    expect(row(post, change("patch", { end_time: START_MICROS, error: bytes("") })).status).toBe("success");
  });

  it("gives is_root and the ids of all ancestors", () => {
    const root = "019aa000-0000-7000-8000-00000000000a";
    const dotted_order = `20300101T100000000001Z${root}.20300101T100000000002Z${PARENT_ID}.20300101T100000123456Z${RUN_ID}`;
    expect(row(change("post", { dotted_order, parent_run_id: PARENT_ID }))).toMatchObject({
      start_time: START_MICROS,
      is_root: false,
      parent_run_ids: [root, PARENT_ID],
    });
    expect(row(post)).toMatchObject({ is_root: true, parent_run_ids: [] });
  });

  it.each([
    [{ outputs: { usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 9 } } }, [9, 3, 4]],
    [{ extra: { metadata: { usage_metadata: { input_tokens: 3, output_tokens: 4 } } } }, [7, 3, 4]],
    [{ outputs: { llm_output: { token_usage: { prompt_tokens: 3, completion_tokens: 4 } } } }, [7, 3, 4]],
    [{ outputs: { llm_output: { usage: { input_tokens: 3 } } } }, [3, 3, null]],
    [{ outputs: { llmOutput: { tokenUsage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 } } } }, [7, 3, 4]],
    [{ outputs: { generations: [[{ message: { kwargs: { usage_metadata: { input_tokens: 1 } } } }]] } }, [1, 1, null]],
    [{ outputs: { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } }, [3, 1, 2]],
    [{ outputs: { usage_metadata: { input_tokens: -1, output_tokens: "4", total_tokens: 1.5 } } }, [null, null, null]],
    [{ outputs: { usage_metadata: null, answer: 1 } }, [null, null, null]],
    [{ outputs: { usage: { prompt_tokens: 2 ** 53 - 1, completion_tokens: 1 } } }, [null, 2 ** 53 - 1, 1]],
  ])("finds the tokens in %j", (given, [total_tokens, prompt_tokens, completion_tokens]) => {
    expect(withJson(given)).toMatchObject({ total_tokens, prompt_tokens, completion_tokens });
  });

  it("finds the costs, as numbers or as text", () => {
    const usage_metadata = { input_cost: 0.25, output_cost: "0.5" };
    expect(withJson({ outputs: { usage_metadata } })).toMatchObject({
      prompt_cost: 0.25,
      completion_cost: 0.5,
      total_cost: 0.75,
    });
    const absurd = { input_cost: Number.MAX_VALUE, output_cost: Number.MAX_VALUE };
    expect(withJson({ outputs: { usage_metadata: absurd } }).total_cost).toBeNull();
  });

  it("finds the time of the first new token", () => {
    const events = [
      { name: "start", time: "2030-01-01T00:00:00Z" },
      { name: "new_token", time: "2030-01-01T10:00:00.123456Z" },
      { name: "new_token", time: 1 },
    ];
    expect(withJson({ events }).first_token_time).toBe(START_MICROS);
    expect(withJson({ events: [{ name: "end" }] }).first_token_time).toBeNull();
  });

  it("replaces a lone surrogate in feedback by U+FFFD, because JSON readers refuse it", () => {
    const pieces = fc.constantFrom("\ud83d", "\ude9a", "\\", "ud83d", '"', "\n", "a");
    fc.assert(
      fc.property(fc.array(pieces), (chosen) => {
        const comment = `c${chosen.join("")}`;
        const { feedback_stats, _feedback } = row(post, feedback("a", { key: "k", comment }));
        const [stats, [entry]] = [feedback_stats, _feedback].map((json) => JSON.parse(text(json)));
        expect([stats.k.comments, entry.comment]).toEqual([[comment.toWellFormed()], comment.toWellFormed()]);
      }),
    );
  });

  it("summarizes feedback by key", () => {
    const source = { feedback_source: { type: "api" } };
    const derived = row(
      post,
      feedback("a", { key: "correctness", score: 1, comment: "good", ...source }),
      feedback("b", { key: "correctness", score: false, ...source }),
      feedback("c", { key: "label", value: "yes" }),
    );
    expect(JSON.parse(text(derived.feedback_stats))).toEqual({
      correctness: {
        n: 2,
        avg: 0.5,
        min: 0,
        max: 1,
        stdev: 0.5,
        errors: 0,
        values: {},
        comments: ["good"],
        sources: ["api"],
      },
      label: {
        n: 1,
        avg: null,
        min: null,
        max: null,
        stdev: null,
        errors: 0,
        values: { yes: 1 },
        comments: [],
        sources: [],
      },
    });
  });
});
