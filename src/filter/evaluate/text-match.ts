/** Text matching in time linear in the length, for any pattern. Input is UTF-16; code points are compared. */

type Find = (text: string, from: number) => number;

/** Finds a part of a text like the comparator `search`; answers its position at or after `from`, or -1. */
export const foldedFinder = (part: string): Find => finderOf(part, foldAscii);

const exactFinder = (part: string): Find => finderOf(part, (unit) => unit);

/** Whether a text matches a pattern of `like`. */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const pieces = likePieces(pattern);
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  const finders = others.map((piece) => ({ find: exactFinder(piece), length: piece.length }));
  return (text) => {
    const end = text.length - last.length;
    let at = first.length;
    if (end < at || !text.startsWith(first) || !text.endsWith(last)) return false;
    // The leftmost match of each piece leaves the most room for the next, so no backtracking is needed.
    for (const { find, length } of finders) {
      const found = find(text, at);
      if (found < 0) return false;
      at = found + length;
    }
    return at <= end;
  };
}

/** The texts between the `%` of a pattern, with `\%` and `\\` unescaped. */
export function likePieces(pattern: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const next = pattern.charAt(at + 1);
    if (character === "%") {
      pieces.push(piece);
      piece = "";
    } else if (character === "\\" && (next === "%" || next === "\\")) {
      piece += next;
      at += 1;
    } else {
      piece += character;
    }
  }
  return [...pieces, piece];
}

/** Order of code points, which is the order of UTF-8 bytes: below 0, 0 or above 0. */
export function compareTexts(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Surrogates encode the highest code points. */
const rank = (unit: number): number => (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + 0x10000 : unit);

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;

const foldAscii = (unit: number): number => (unit >= UPPER_A && unit <= UPPER_Z ? unit + 0x20 : unit);

/** Knuth-Morris-Pratt search: it never goes back in the text. */
function finderOf(part: string, fold: (unit: number) => number): Find {
  const units = Uint16Array.from({ length: part.length }, (_, at) => fold(part.charCodeAt(at)));
  const fallbacks = fallbacksOf(units);
  return (text, from) => {
    let matched = 0;
    if (units.length === 0) return from;
    for (let at = from; at < text.length; at += 1) {
      const unit = fold(text.charCodeAt(at));
      while (matched > 0 && unit !== units[matched]) matched = fallbacks[matched - 1] ?? 0;
      if (unit === units[matched]) matched += 1;
      if (matched === units.length) return at + 1 - matched;
    }
    return -1;
  };
}

/** For each prefix of the part: the length of its longest proper suffix that is also a prefix. */
function fallbacksOf(units: Uint16Array): Uint16Array {
  const fallbacks = new Uint16Array(units.length);
  let matched = 0;
  for (let at = 1; at < units.length; at += 1) {
    while (matched > 0 && units[at] !== units[matched]) matched = fallbacks[matched - 1] ?? 0;
    if (units[at] === units[matched]) matched += 1;
    fallbacks[at] = matched;
  }
  return fallbacks;
}
