import { ok, type Result } from "../../domain/shared/result.ts";
import { MAX_FILTER_LENGTH } from "../limits.ts";
import { type FilterFailure, refuse } from "./syntax.ts";

/** A token of a filter. `end` is the last token, at the position after the text. */
export type Token =
  | { readonly kind: "name"; readonly position: number; readonly text: string }
  | { readonly kind: "string"; readonly position: number; readonly value: string }
  | { readonly kind: "number"; readonly position: number; readonly value: number }
  | { readonly kind: "mark"; readonly position: number; readonly text: string }
  | { readonly kind: "end"; readonly position: number };

const SPACE = /\s+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const MARKS = "()[],";

/** Splits a text into tokens, in one pass. */
export function tokensOf(text: string): Result<readonly Token[], FilterFailure> {
  if (text.length > MAX_FILTER_LENGTH)
    return refuse(MAX_FILTER_LENGTH, `a filter may hold at most ${MAX_FILTER_LENGTH} characters`);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    at += (matchAt(SPACE, text, at) ?? "").length;
    const character = text.charAt(at);
    if (character === "") break;
    if (MARKS.includes(character)) {
      tokens.push({ kind: "mark", position: at, text: character });
      at += 1;
      continue;
    }
    if (character === '"' || character === "'") {
      const string = stringAt(text, at);
      if (!string.ok) return string;
      tokens.push({ kind: "string", position: at, value: string.value.text });
      at = string.value.end;
      continue;
    }
    const name = matchAt(NAME, text, at);
    const number = matchAt(NUMBER, text, at);
    if (name !== null) {
      tokens.push({ kind: "name", position: at, text: name });
      at += name.length;
    } else if (number !== null) {
      const value = Number(number);
      if (!Number.isFinite(value)) return refuse(at, "expected a number that a double can hold");
      tokens.push({ kind: "number", position: at, value });
      at += number.length;
    } else {
      return refuse(at, "expected a name, a text in quotes, a number, a bracket or a comma");
    }
  }
  tokens.push({ kind: "end", position: text.length });
  return ok(tokens);
}

/**
 * The text between quotes. In double quotes `\"` and `\\` are escapes, in single quotes only `\'` is; any other
 * backslash is literal, so that single quotes can hold JSON unchanged.
 */
function stringAt(text: string, start: number): Result<{ text: string; end: number }, FilterFailure> {
  const quote = text.charAt(start);
  const escapable = quote === '"' ? '"\\' : "'";
  const pieces: string[] = [];
  let from = start + 1;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === quote) {
      pieces.push(text.slice(from, at));
      const value = pieces.join("");
      return value.isWellFormed()
        ? ok({ text: value, end: at + 1 })
        : refuse(start, "expected a text of whole characters");
    }
    const next = text.charAt(at + 1);
    if (character === "\\" && next !== "" && escapable.includes(next)) {
      pieces.push(text.slice(from, at));
      from = at + 1;
      at += 1;
    }
  }
  return refuse(start, `expected a closing ${quote} for this text`);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
