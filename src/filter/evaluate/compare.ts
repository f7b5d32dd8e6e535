import type { Comparison, Scalar } from "../filter.ts";
import { compareTexts, foldedFinder, likeMatcher } from "./text-match.ts";

/** A compiled comparison; null is a missing value. */
export type Test = (value: Scalar) => boolean;

export function testOf(comparison: Comparison): Test {
  switch (comparison.comparator) {
    case "eq": {
      const { operand } = comparison;
      return (value) => value === operand;
    }
    case "neq": {
      const { operand } = comparison;
      return (value) => value !== null && value !== operand;
    }
    case "gt":
      return ordered(comparison.operand, (order) => order > 0);
    case "gte":
      return ordered(comparison.operand, (order) => order >= 0);
    case "lt":
      return ordered(comparison.operand, (order) => order < 0);
    case "lte":
      return ordered(comparison.operand, (order) => order <= 0);
    case "in": {
      const operands: ReadonlySet<Scalar> = new Set<Scalar>(comparison.operand);
      return (value) => operands.has(value);
    }
    case "like": {
      const matches = likeMatcher(comparison.operand);
      return (value) => typeof value === "string" && matches(value);
    }
    case "notlike": {
      const matches = likeMatcher(comparison.operand);
      return (value) => value !== null && !(typeof value === "string" && matches(value));
    }
    case "search": {
      const find = foldedFinder(comparison.operand);
      return (value) => typeof value === "string" && find(value, 0) >= 0;
    }
  }
}

const ordered = (operand: string | number, accepts: (order: number) => boolean): Test =>
  typeof operand === "string"
    ? (value) => typeof value === "string" && accepts(compareTexts(value, operand))
    : (value) => typeof value === "number" && accepts(value - operand);
