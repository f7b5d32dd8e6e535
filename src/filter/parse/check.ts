import { ok, type Result } from "../../domain/shared/result.ts";
import type { Filter } from "../filter.ts";
import { type Count, checkComparison } from "./check-comparison.ts";
import { type Checked, pairedAnd, pairedNot, pairedOr } from "./pairs.ts";
import { type CallSyntax, type FilterFailure, refuse } from "./syntax.ts";

/** Translates a parsed filter, or answers the fault and its position. */
export function checkFilter(call: CallSyntax): Result<Filter, FilterFailure> {
  const checked = checkCall(call, { comparisons: 0 });
  return checked.ok ? ok(checked.value.filter) : checked;
}

/** The parser has limited the depth of the recursion. */
function checkCall(call: CallSyntax, count: Count): Result<Checked, FilterFailure> {
  const { name, position, operands } = call;
  if (name !== "and" && name !== "or" && name !== "not") return checkComparison(call, count);
  if (operands.length === 0 || (name === "not" && operands.length > 1))
    return refuse(position, name === "not" ? "expected one comparison in not" : `expected comparisons in ${name}`);
  const checked: Checked[] = [];
  for (const operand of operands) {
    if (operand.kind !== "call") return refuse(operand.position, `expected a comparison in ${name}`);
    const one = checkCall(operand, count);
    if (!one.ok) return one;
    checked.push(one.value);
  }
  if (name === "and") return ok(pairedAnd(checked));
  const joined = pairedOr(checked);
  return ok(name === "or" ? joined : pairedNot(joined));
}
