import type { Result } from "../domain/result.ts";
import { checkFilter } from "./check.ts";
import type { Filter } from "./filter.ts";
import { parseSyntax } from "./parser.ts";
import type { FilterFailure } from "./syntax.ts";

/** Reads a filter expression; what it means is written in filter.ts. Never throws, whatever the text. */
export function parseFilter(text: string): Result<Filter, FilterFailure> {
  const syntax = parseSyntax(text);
  return syntax.ok ? checkFilter(syntax.value) : syntax;
}
