import type { Result } from "../../domain/shared/result.ts";
import type { Filter } from "../filter.ts";
import { checkFilter } from "./check.ts";
import { parseSyntax } from "./parser.ts";
import type { FilterFailure } from "./syntax.ts";

/** Parses a filter expression; filter.ts defines its meaning. Never throws. */
export function parseFilter(text: string): Result<Filter, FilterFailure> {
  const syntax = parseSyntax(text);
  return syntax.ok ? checkFilter(syntax.value) : syntax;
}

/** Parses a filter that was accepted before. null: no filter. */
export function acceptedFilter(text: string | null): Filter | null {
  if (text === null) return null;
  const parsed = parseFilter(text);
  if (parsed.ok) return parsed.value;
  throw new Error(`an accepted filter is none: ${parsed.failure.message} at ${parsed.failure.position}`);
}
