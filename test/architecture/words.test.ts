import { expect, it } from "vitest";
import { DOCUMENTS } from "./documents.ts";
import { filesBelow, textOf } from "./source-files.ts";

/** Archaic, poetic or private words, each with the plain one. A space also matches the line break of a comment. */
const BANNED: Readonly<Record<string, string>> = {
  afresh: "again",
  albeit: "although",
  anew: "again",
  "(?:be|is|are|was|were|been) told": "receives, is notified",
  "(?<!-)beside": "next to, in addition to, with",
  "comes? home": "is delivered",
  "forgo(?:es|ne|ing)?": "go without, omit",
  hears: "receives",
  heard: "received",
  hence: "so, therefore",
  "hence(?:forth|forward)": "from now on",
  "here(?:by|in|tofore|upon)": "with this, here, until now",
  hitherto: "until now",
  "in (?:its|their|his|her) turn": "then, also",
  lest: "so that ... not",
  "n[ao]ught": "nothing",
  nobody: "no one, or name the caller or client",
  "so (?:many|much) (?:bytes|letters|times|more)": "this many, or the number's name",
  "such a one": "it, or the noun",
  "there(?:of|in|to|upon|with|by)": "of it, in it, by it",
  thus: "so",
  unto: "to",
  upon: "on",
  "whatever (?:the|its|their|comes|it|becomes)": "for any, independent of",
  whence: "from which",
  "where(?:of|in|upon|by|to)": "of which, in which, by which",
  whoever: "the caller, the reader, the client",
  yonder: "there",
};

const FILES = ["src", "durable", "dev", "bench"]
  .flatMap(filesBelow)
  .concat(DOCUMENTS.filter((file) => !file.startsWith("test/")));

it("Code and documents use plain words instead of archaic or private ones", () => {
  const patterns = Object.entries(BANNED).map(
    ([words, better]) => [new RegExp(`\\b${words.replaceAll(" ", "[\\s*/]+")}\\b`, "gi"), better] as const,
  );
  const found = FILES.flatMap((file) => {
    const text = textOf(file);
    return patterns.flatMap(([pattern, better]) =>
      [...text.matchAll(pattern)].map(({ index, 0: words }) => {
        const line = text.slice(0, index).split("\n").length;
        return `${file}:${line}: "${words}"; better: ${better}`;
      }),
    );
  });
  expect(found).toEqual([]);
});
