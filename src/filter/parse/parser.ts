import { ok, type Result } from "../../domain/shared/result.ts";
import { MAX_LIST_ITEMS, MAX_NESTING } from "../limits.ts";
import { type Token, tokensOf } from "./lexer.ts";
import {
  type CallSyntax,
  type FilterFailure,
  type ListSyntax,
  type LiteralSyntax,
  refuse,
  type Syntax,
} from "./syntax.ts";

/**
 *     filter  := call
 *     call    := name "(" [ operand { "," operand } ] ")"
 *     operand := call | list | literal | name
 *     list    := "[" [ literal { "," literal } ] "]"
 *     literal := text | number | true | false | null        (True, False and None as well)
 */

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

/** Parses a text as one call. MAX_NESTING limits the recursion. */
export function parseSyntax(text: string): Result<CallSyntax, FilterFailure> {
  const tokens = tokensOf(text);
  if (!tokens.ok) return tokens;
  const cursor = new Cursor(tokens.value);
  const operand = parseOperand(cursor, 0);
  if (!operand.ok) return operand;
  if (operand.value.kind !== "call")
    return refuse(operand.value.position, 'expected a comparison such as eq(run_type, "llm")');
  return cursor.next.kind === "end"
    ? ok(operand.value)
    : refuse(cursor.next.position, "expected the end of the filter");
}

/** The position of the parser. */
class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error("the parser went past the end token");
    return token;
  }

  advance(): void {
    this.#at += 1;
  }

  /** Consumes the mark if it comes next. */
  accepts(mark: string): boolean {
    const found = this.next.kind === "mark" && this.next.text === mark;
    if (found) this.advance();
    return found;
  }
}

function parseOperand(cursor: Cursor, nesting: number): Result<Syntax, FilterFailure> {
  const token = cursor.next;
  const { position } = token;
  if (nesting > MAX_NESTING) return refuse(position, `expected at most ${MAX_NESTING} levels of brackets`);
  if (cursor.accepts("[")) return parseList(cursor, position);
  if (token.kind === "name" && !WORDS.has(token.text)) {
    cursor.advance();
    return cursor.accepts("(")
      ? parseCall(cursor, token.text, position, nesting)
      : ok({ kind: "name", name: token.text, position });
  }
  const literal = parseLiteral(cursor);
  return literal ? ok(literal) : refuse(position, "expected a comparison, a field or a value");
}

function parseCall(cursor: Cursor, name: string, position: number, nesting: number): Result<CallSyntax, FilterFailure> {
  const operands: Syntax[] = [];
  if (cursor.accepts(")")) return ok({ kind: "call", name, position, operands });
  for (;;) {
    const operand = parseOperand(cursor, nesting + 1);
    if (!operand.ok) return operand;
    operands.push(operand.value);
    if (cursor.accepts(")")) return ok({ kind: "call", name, position, operands });
    if (!cursor.accepts(",")) return refuse(cursor.next.position, 'expected "," or ")"');
  }
}

function parseList(cursor: Cursor, position: number): Result<ListSyntax, FilterFailure> {
  const items: LiteralSyntax[] = [];
  if (cursor.accepts("]")) return ok({ kind: "list", position, items });
  for (;;) {
    const item = parseLiteral(cursor);
    if (item === null) return refuse(cursor.next.position, "expected a text, a number, true, false or null");
    if (items.length === MAX_LIST_ITEMS) return refuse(item.position, `expected at most ${MAX_LIST_ITEMS} items`);
    items.push(item);
    if (cursor.accepts("]")) return ok({ kind: "list", position, items });
    if (!cursor.accepts(",")) return refuse(cursor.next.position, 'expected "," or "]"');
  }
}

function parseLiteral(cursor: Cursor): LiteralSyntax | null {
  const token = cursor.next;
  const { position } = token;
  if (token.kind === "string" || token.kind === "number") {
    cursor.advance();
    return { kind: "literal", position, value: token.value };
  }
  const word = token.kind === "name" ? WORDS.get(token.text) : undefined;
  if (word === undefined) return null;
  cursor.advance();
  return { kind: "literal", position, value: word };
}
