import fc from "fast-check";
import { type Entry, entriesOf, type Json, json, jsonObject, spell, TEXTS } from "./json-model.ts";
import type { Run } from "./runs.ts";

/**
 * Random runs and filters, and whether they match: a second implementation of the semantics in src/filter/filter.ts,
 * independent of the product's code.
 */

type Scalar = string | number | boolean | null;

/** A run by its values, before they are written as text. */
export interface ModelRun {
  readonly fields: Readonly<Record<string, Scalar>>;
  readonly tags: readonly string[];
  readonly inputs: Json | null;
  readonly outputs: Json | null;
  /** The members called "metadata" of `extra`; null: no `extra`. */
  readonly metadata: readonly Json[] | null;
  readonly feedback: readonly Feedback[];
}

interface Feedback {
  readonly key: string;
  readonly score?: number | boolean;
  readonly value?: string | number | boolean | { readonly nested: string };
}

export interface ModelFilter {
  readonly text: string;
  holds(run: ModelRun): boolean;
}

const DAY = Date.UTC(2030, 0, 1) * 1000;
const IDS = ["0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c"];
/** Texts that a column may hold: whole characters only. */
const WHOLE_TEXTS = TEXTS.filter((text) => text.isWellFormed());
const TIMES = [0, 1, 999_999, 1_000_000, 1_000_001, 60_000_000].map((offset) => DAY + offset);

const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null, freq: 4 });

export const modelRun: fc.Arbitrary<ModelRun> = fc.record({
  fields: fc.record({
    id: fc.constantFrom(...IDS),
    parent_run_id: orNull(fc.constantFrom(...IDS)),
    name: orNull(fc.constantFrom(...WHOLE_TEXTS)),
    error: orNull(fc.constantFrom(...WHOLE_TEXTS)),
    is_root: orNull(fc.boolean()),
    start_time: fc.constantFrom(...TIMES),
    end_time: orNull(fc.constantFrom(...TIMES)),
    total_tokens: orNull(fc.constantFrom(0, 1, 2, 9007199254740991)),
    total_cost: orNull(fc.constantFrom(0, 0.1, 0.2, 0.30000000000000004, 1e-7)),
  }),
  tags: fc.array(fc.constantFrom(...WHOLE_TEXTS), { maxLength: 3 }),
  inputs: orNull(fc.oneof(json, jsonObject)),
  outputs: orNull(fc.oneof(json, jsonObject)),
  metadata: orNull(fc.array(fc.oneof(json, jsonObject), { minLength: 1, maxLength: 2 })),
  feedback: fc.array(
    fc.record(
      {
        key: fc.constantFrom("x", "x", ...TEXTS),
        score: fc.oneof(fc.constantFrom(0, 0.1, 1), fc.boolean()),
        value: fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(0, 1), fc.boolean(), fc.constant({ nested: "x" })),
      },
      { requiredKeys: ["key"] },
    ),
    { maxLength: 2 },
  ),
});

/** The columns of this run. */
export const columnsOf = (run: ModelRun): Run => {
  const columns: Record<string, unknown> = { ...run.fields, _tags: run.tags };
  if (run.inputs !== null) columns.inputs = spell(run.inputs);
  if (run.outputs !== null) columns.outputs = spell(run.outputs);
  if (run.metadata !== null)
    columns.extra = `{"metadata.a":1,${run.metadata.map((value) => `"metadata":${spell(value)},`).join("")}"runtime":{"metadata":{"a":1}}}`;
  if (run.feedback.length > 0) columns._feedback = JSON.stringify(run.feedback);
  // The values above have the types of their columns.
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)) as Run;
};

const familyEntries = (run: ModelRun, family: Family): readonly Entry[] => {
  switch (family) {
    case "input":
      return run.inputs === null ? [] : entriesOf(run.inputs);
    case "output":
      return run.outputs === null ? [] : entriesOf(run.outputs);
    case "metadata":
      return (run.metadata ?? []).flatMap((value) => entriesOf(value));
  }
};

type Family = "metadata" | "input" | "output";

/** A comparison without its field. */
interface Comparison {
  readonly comparator: string;
  readonly operand: string;
  holds(value: Scalar): boolean;
}

const utf8 = (text: string): Buffer => Buffer.from(text, "utf8");
const order = (left: Scalar, right: Scalar): number | null => {
  if (typeof left === "string" && typeof right === "string") return Buffer.compare(utf8(left), utf8(right));
  return typeof left === "number" && typeof right === "number" ? Math.sign(left - right) : null;
};
const isLike = (value: Scalar, pattern: string): boolean => {
  const expression = pattern.replace(/\\[%\\]|./gsu, (piece) => {
    if (piece === "%") return ".*";
    const plain = piece.length === 2 && piece.startsWith("\\") ? piece.slice(1) : piece;
    return plain.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  });
  return typeof value === "string" && new RegExp(`^${expression}$`, "su").test(value);
};
const folded = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const contains = (value: Scalar, part: string): boolean =>
  typeof value === "string" && folded(value).includes(folded(part));

/** Either kind of quotes, with the escapes that each needs. */
const quoted = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    `"${text.replace(/["\\]/g, "\\$&")}"`,
    // A backslash before a quote or at the end cannot be written in single quotes.
    /\\(?:'|$)/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : `'${text.replace(/'/g, "\\'")}'`,
  );

const equality = <T extends Scalar>(values: fc.Arbitrary<T>, write: (value: T) => fc.Arbitrary<string>) =>
  fc.oneof(
    fc.tuple(fc.constantFrom("eq", "neq"), values).chain(([comparator, value]) =>
      write(value).map(
        (operand): Comparison => ({
          comparator,
          operand,
          holds: (found) => found !== null && (found === value) === (comparator === "eq"),
        }),
      ),
    ),
    fc.array(values, { maxLength: 3 }).chain((list) =>
      fc.tuple(...list.map(write)).map(
        (operands): Comparison => ({
          comparator: "in",
          operand: `[${operands.join(", ")}]`,
          holds: (found) => found !== null && list.some((value) => value === found),
        }),
      ),
    ),
  );

const SIGNS: Readonly<Record<string, (order: number) => boolean>> = {
  gt: (sign) => sign > 0,
  gte: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  lte: (sign) => sign <= 0,
};

const ordered = <T extends string | number>(values: fc.Arbitrary<T>, write: (value: T) => fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...Object.entries(SIGNS)), values).chain(([[comparator, accepts], value]) =>
    write(value).map(
      (operand): Comparison => ({
        comparator,
        operand,
        holds: (found) => {
          const sign = order(found, value);
          return sign !== null && accepts(sign);
        },
      }),
    ),
  );

const isMissing = fc.constantFrom("eq", "neq").map(
  (comparator): Comparison => ({
    comparator,
    operand: "null",
    holds: (found) => (found === null) === (comparator === "eq"),
  }),
);

const text = fc.constantFrom(...WHOLE_TEXTS);
const number = fc.constantFrom(0, 1, 0.1, -0.25, 1e21, 9007199254740992, 0.30000000000000004);
const pattern = fc
  .array(fc.constantFrom("%", "a", "x", "X", "_", "\\%", "\\\\", "😀", "\\", ""), { maxLength: 5 })
  .map((p) => p.join(""));
const plain = (value: Scalar): fc.Arbitrary<string> => fc.constant(String(value));
const anySpelling = (value: Scalar): fc.Arbitrary<string> => (typeof value === "string" ? quoted(value) : plain(value));

const matchesText = fc.oneof(
  fc.tuple(fc.constantFrom("like", "notlike"), pattern).chain(([comparator, value]) =>
    quoted(value).map(
      (operand): Comparison => ({
        comparator,
        operand,
        holds: (found) => found !== null && isLike(found, value) === (comparator === "like"),
      }),
    ),
  ),
  text
    .filter((value) => value !== "")
    .chain((value) =>
      quoted(value).map(
        (operand): Comparison => ({ comparator: "search", operand, holds: (found) => contains(found, value) }),
      ),
    ),
);

const onText = fc.oneof(equality(text, quoted), ordered(text, quoted), matchesText);
const onNumber = fc.oneof(equality(number, plain), ordered(number, plain));
const onAny = fc.oneof(
  equality(fc.oneof(text, number, fc.boolean()), anySpelling),
  ordered(text, quoted),
  ordered(number, plain),
  matchesText,
  isMissing,
);

const isoOf = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, "0")}`;
const onTime = ((write) =>
  fc.oneof(equality(fc.constantFrom(...TIMES), write), ordered(fc.constantFrom(...TIMES), write)))((micros: number) =>
  fc.constantFrom(`"${isoOf(micros)}"`, `'${isoOf(micros)}Z'`, `"${isoOf(micros + 7_200_000_000)}+02:00"`),
);
const onDuration = ((write) =>
  fc.oneof(
    equality(fc.constantFrom(0, 1, 1_000_000, -60_000_000), write),
    ordered(fc.constantFrom(0, 1, 1_000_000), write),
  ))((micros: number) =>
  fc.constantFrom(
    String(micros / 1e6),
    ...(micros < 0 ? [] : [`"${micros / 1e6 < 1e-6 ? 0 : (micros / 1e6).toFixed(6)}s"`]),
  ),
);

const onField = (
  comparisons: fc.Arbitrary<Comparison>,
  names: readonly string[],
  read: (run: ModelRun, name: string) => Scalar,
): fc.Arbitrary<ModelFilter> =>
  fc
    .tuple(fc.oneof({ weight: 5, arbitrary: comparisons }, isMissing), fc.constantFrom(...names))
    .map(([comparison, name]) => ({
      text: `${comparison.comparator}(${name}, ${comparison.operand})`,
      holds: (run) => comparison.holds(read(run, name)),
    }));

const fieldOf = (run: ModelRun, name: string): Scalar => run.fields[name] ?? null;

const fieldFilter = fc.oneof(
  onField(onText, ["name", "error"], fieldOf),
  onField(onNumber, ["total_tokens", "total_cost"], fieldOf),
  onField(onTime, ["start_time", "end_time"], fieldOf),
  onField(equality(fc.constantFrom(...IDS), quoted), ["id", "parent_run_id"], fieldOf),
  onField(onDuration, ["latency"], ({ fields: { start_time, end_time } }) =>
    typeof start_time === "number" && typeof end_time === "number" ? end_time - start_time : null,
  ),
  fc.tuple(fc.constantFrom("eq", "neq"), fc.boolean()).map(
    ([comparator, flag]): ModelFilter => ({
      text: `${comparator}(is_root,${flag})`,
      holds: ({ fields: { is_root } }) => is_root !== null && (is_root === flag) === (comparator === "eq"),
    }),
  ),
);

const tagFilter = text.chain((tag) =>
  quoted(tag).map(
    (operand): ModelFilter => ({ text: `has(tags, ${operand})`, holds: (run) => run.tags.includes(tag) }),
  ),
);

const searchFilter = text
  .filter((part) => part !== "")
  .chain((part) =>
    quoted(part).map(
      (operand): ModelFilter => ({
        text: `search(${operand})`,
        holds: (run) =>
          [run.fields.name, run.fields.error, ...run.tags].some((value) => contains(value ?? null, part)) ||
          FAMILIES.some((family) => familyEntries(run, family).some(({ value }) => contains(value, part))),
      }),
    ),
  );

const FAMILIES = ["metadata", "input", "output"] as const;
const KEYS = ["a", "a", "a", "b", "b", "a.b", "a.a", "k", "", ".", "é", 'q"', "\uFFFD", "session_id"];

/** Comparisons of one entry's value, combined by `all` or `any`, some of them negated. */
const valueTest = (comparisons: fc.Arbitrary<Comparison>) =>
  fc.tuple(fc.constantFrom("and", "or"), fc.array(fc.tuple(comparisons, fc.boolean()), { minLength: 1, maxLength: 2 }));

/** A key and comparisons of its value in one `and`, which apply to the same entry. */
const pairFilter = fc
  .tuple(fc.constantFrom(...FAMILIES), fc.constantFrom(...KEYS), valueTest(onAny), fc.boolean())
  .chain(([family, key, [join, tests], keyLast]) =>
    quoted(key).map((name): ModelFilter => {
      const key_ = `eq(${family}_key, ${name})`;
      const values = `${join}(${tests
        .map(([{ comparator, operand }, turned]) => {
          const one = `${comparator}(${family}_value, ${operand})`;
          return turned ? `not(${one})` : one;
        })
        .join(", ")})`;
      const passes = (value: Scalar): boolean => {
        const each = tests.map(([test, turned]) => test.holds(value) !== turned);
        return join === "and" ? each.every(Boolean) : each.some(Boolean);
      };
      return {
        text: `and(${keyLast ? `${values}, ${key_}` : `${key_}, ${values}`})`,
        holds: (run) => familyEntries(run, family).some((entry) => entry.key === key && passes(entry.value)),
      };
    }),
  );

const loneFilter = fc.tuple(fc.constantFrom(...FAMILIES), onAny).map(
  ([family, { comparator, operand, holds }]): ModelFilter => ({
    text: `${comparator}(${family}_value, ${operand})`,
    holds: (run) => familyEntries(run, family).some((entry) => holds(entry.value)),
  }),
);

const keyFilter = fc
  .tuple(
    fc.constantFrom(...FAMILIES),
    fc.constantFrom(...KEYS),
    fc.constantFrom(...KEYS),
    fc.constantFrom("eq", "neq", "in"),
  )
  .chain(([family, key, other, comparator]) =>
    fc.tuple(quoted(key), quoted(other)).map(([first, second]): ModelFilter => {
      const wanted = comparator === "in" ? [key, other] : [key];
      return {
        text: `${comparator}(${family}_key, ${comparator === "in" ? `[${first}, ${second}]` : first})`,
        holds: (run) =>
          familyEntries(run, family).some((entry) => entry.key !== null && wanted.includes(entry.key)) !==
          (comparator === "neq"),
      };
    }),
  );

const metadataFilter = fc.oneof(
  fc.tuple(fc.constantFrom(...KEYS), text, number, fc.boolean()).chain(([key, first, second, isNested]) => {
    const wanted = isNested ? { [key]: { b: [first, second] } } : { [key]: first, b: second };
    return quoted(JSON.stringify(wanted)).map(
      (operand): ModelFilter => ({
        text: `has(metadata, ${operand})`,
        holds: (run) => {
          const found = familyEntries(run, "metadata");
          const is = (name: string, value: Scalar) =>
            found.some((entry) => entry.key === name && entry.value === value);
          if (isNested) return is(`${key}.b`, first) && is(`${key}.b`, second);
          return (key === "b" || is(key, first)) && is("b", second);
        },
      }),
    );
  }),
  fc.constantFrom(...KEYS).chain((key) =>
    quoted(key).map(
      (operand): ModelFilter => ({
        text: `exists(metadata, ${operand})`,
        holds: (run) => familyEntries(run, "metadata").some((entry) => entry.key === key),
      }),
    ),
  ),
  fc.oneof(onText).map(
    ({ comparator, operand, holds }): ModelFilter => ({
      text: `${comparator}(thread_id, ${operand})`.replace(/^(gt|gte|lt|lte)\(thread_id, .*$/s, "exists(thread_id)"),
      holds: (run) =>
        familyEntries(run, "metadata").some(
          ({ key, value }) =>
            (key === "session_id" || key === "conversation_id" || key === "thread_id") &&
            (/^(gt|gte|lt|lte)$/.test(comparator) ? value !== null : holds(value)),
        ),
    }),
  ),
);

const feedbackFilter = fc
  .tuple(fc.constantFrom(...WHOLE_TEXTS), onNumber, onAny, fc.boolean())
  .chain(([key, score, value, scored]) =>
    quoted(key).map((name): ModelFilter => {
      const { comparator, operand, holds } = scored ? score : value;
      return {
        text: `and(eq(feedback_key, ${name}), ${comparator}(feedback_${scored ? "score" : "value"}, ${operand}))`,
        holds: (run) =>
          run.feedback.some((entry) => {
            const found = scored ? entry.score : entry.value;
            const scalar = found === undefined || typeof found === "object" ? null : scored ? Number(found) : found;
            return (
              entry.key.toWellFormed() === key && holds(typeof scalar === "string" ? scalar.toWellFormed() : scalar)
            );
          }),
      };
    }),
  );

/** Any filter. */
export const modelFilter: fc.Arbitrary<ModelFilter> = fc.letrec<{ filter: ModelFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fieldFilter,
    fc.oneof(pairFilter, loneFilter, keyFilter, metadataFilter, feedbackFilter, tagFilter, searchFilter),
    tie("filter").map(
      (operand): ModelFilter => ({ text: `not(${operand.text})`, holds: (run) => !operand.holds(run) }),
    ),
    // Operands are wrapped, so that a value comparison of one is not paired with the key of another.
    fc.tuple(fc.constantFrom("and", "or"), fc.array(tie("filter"), { minLength: 1, maxLength: 3 })).map(
      ([join, operands]): ModelFilter => ({
        text: `${join}(${operands.map((operand) => `or(${operand.text}, in(id, []))`).join(", ")})`,
        holds: (run) =>
          join === "and" ? operands.every((one) => one.holds(run)) : operands.some((one) => one.holds(run)),
      }),
    ),
  ),
})).filter;
