import fc from "fast-check";

/** JSON with its text and the value of each part. */
export type Json =
  | { readonly kind: "scalar"; readonly spelled: string; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly Json[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [name: Name, value: Json])[] };

interface Name {
  readonly spelled: string;
  readonly value: string;
}

const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;

/** Each text plain and with each character escaped; lone surrogates become U+FFFD. */
const spelledText = (texts: readonly string[]): fc.Arbitrary<Name> =>
  fc.tuple(fc.constantFrom(...texts), fc.boolean()).map(([text, isEscaped]) => ({
    spelled: isEscaped ? escaped(text) : JSON.stringify(text),
    value: text.toWellFormed(),
  }));

const NAMES = [
  "a",
  "a",
  "a",
  "b",
  "b",
  "a.b",
  "k",
  "",
  ".",
  "é",
  'q"',
  "metadata",
  "\uD83D",
  "session_id",
  "__proto__",
];
export const TEXTS = [
  "x",
  "X",
  "v",
  "",
  "true",
  "1",
  "a%b",
  "a_b",
  "äÄ",
  "\\",
  "\\u0041",
  "\uDE00",
  "😀",
  "z\u0000z",
  '"',
  "\n",
  // Longer than the bounds that a footer keeps.
  "y".repeat(70),
  `${"y".repeat(70)}z`,
];
const NUMBERS = [
  ["0", 0],
  ["-0", 0],
  ["1", 1],
  ["1.0", 1],
  ["1e0", 1],
  ["0.1", 0.1],
  ["-2.5E-1", -0.25],
  ["9007199254740993", 9007199254740992],
  ["12345678901234567890123", 12345678901234568e6],
  ["1e400", Number.MAX_VALUE],
  ["-1e400", -Number.MAX_VALUE],
  ["1e-400", 0],
] as const;

const scalar: fc.Arbitrary<Json> = fc.oneof(
  spelledText(TEXTS).map(({ spelled, value }): Json => ({ kind: "scalar", spelled, value })),
  fc.constantFrom(...NUMBERS).map(([spelled, value]): Json => ({ kind: "scalar", spelled, value })),
  fc.constantFrom(true, false, null).map((value): Json => ({ kind: "scalar", spelled: String(value), value })),
);

export const { json, object: jsonObject } = fc.letrec<{ json: Json; object: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }).map((items): Json => ({ kind: "list", items })),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(spelledText(NAMES), tie("json")), { maxLength: 4 })
    .map((members): Json => ({ kind: "object", members })),
}));

/** The text, with white space where JSON allows it. */
export const spell = (value: Json): string => {
  switch (value.kind) {
    case "scalar":
      return value.spelled;
    case "list":
      return `[ ${value.items.map(spell).join(" ,\n")}]`;
    case "object":
      return `{${value.members.map(([name, member]) => `${name.spelled} :\t${spell(member)}`).join(",")} }`;
  }
};

export interface Entry {
  /** null: the value is not inside an object. */
  readonly key: string | null;
  readonly value: string | number | boolean | null;
}

export const entriesOf = (value: Json, key: string | null = null): readonly Entry[] => {
  switch (value.kind) {
    case "scalar":
      return [{ key, value: value.value }];
    case "list":
      return value.items.flatMap((item) => entriesOf(item, key));
    case "object":
      return value.members.flatMap(([name, member]) =>
        entriesOf(member, key === null ? name.value : `${key}.${name.value}`),
      );
  }
};
