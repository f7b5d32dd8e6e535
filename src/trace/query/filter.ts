import { DAY_MS, startOfDay } from "../../domain/shared/time.ts";
import { mayMatch } from "../../filter/evaluate/statistics.ts";
import type { Filter, ValueField } from "../../filter/filter.ts";
import { and, leaf, not, or } from "../../filter/logic.ts";
import { SEARCHED } from "../../filter/parse/meanings.ts";

type TextColumn = Extract<ValueField, { readonly kind: "text" }>["column"];

/** Conditions of a query in addition to filter expressions; null: no condition. */
export interface Conditions {
  readonly runType: string | null;
  readonly parentRunId: string | null;
  readonly referenceExampleIds: readonly string[] | null;
  readonly isRoot: boolean | null;
  readonly hasError: boolean | null;
  /** A text that occurs somewhere in the run. */
  readonly searched: string | null;
  /** All of them must match. */
  readonly filters: readonly Filter[];
}

export function filterOfConditions(conditions: Conditions): Filter {
  const { runType, parentRunId, referenceExampleIds, hasError, searched } = conditions;
  const failed = textIs("status", ["error"]);
  return and([
    ...(runType === null ? [] : [textIs("run_type", [runType])]),
    ...(parentRunId === null ? [] : [textIs("parent_run_id", [parentRunId])]),
    ...(referenceExampleIds === null ? [] : [textIs("reference_example_id", referenceExampleIds)]),
    ...(conditions.isRoot === null ? [] : [isRoot(conditions.isRoot)]),
    ...(hasError === null ? [] : [hasError ? failed : not(failed)]),
    ...(searched === null ? [] : [or(SEARCHED.map((place) => place({ comparator: "search", operand: searched })))]),
    ...conditions.filters,
  ]);
}

/** The text of a column is one of these; null: the column has no value. */
export const textIs = (column: TextColumn, values: readonly string[] | null): Filter =>
  leaf({
    kind: "field",
    field: { kind: "text", column },
    comparison: values === null ? { comparator: "eq", operand: null } : { comparator: "in", operand: values },
  });

const isRoot = (operand: boolean): Filter =>
  leaf({ kind: "field", field: { kind: "flag", column: "is_root" }, comparison: { comparator: "eq", operand } });

const encoder = new TextEncoder();

/** Whether runs of the project's day may match, judged by the day and the project alone. */
export function dayMayMatch(filter: Filter, projectId: string, day: string): boolean {
  const begins = startOfDay(day) * 1000;
  const project = encoder.encode(projectId);
  const matches = mayMatch(filter, {
    rows: 1,
    column: (name) => {
      if (name === "session_id") return { nulls: 0, bounds: { min: project, max: project } };
      if (name === "start_time") return { nulls: 0, bounds: { min: begins, max: begins + DAY_MS * 1000 - 1 } };
      return undefined;
    },
  });
  return matches !== "none";
}
