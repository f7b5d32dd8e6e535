import { EXPORT_FIELDS } from "../src/domain/run/fields.ts";

/** Columns and runs to export. */
export interface Choice {
  /** Label in the report. */
  readonly label: string;
  readonly fields: readonly string[];
  /** The same filter in Waybill's language and in SQL; null: all runs. */
  readonly filter: { readonly expression: string; readonly where: string } | null;
}

const SLIM_FIELDS = EXPORT_FIELDS.filter((field) => field !== "inputs" && field !== "outputs");

/**
 * In the order of a round. The whole export is last, because its files remain in the bucket for verification.
 * `failed` and `spread` match runs of the whole day: failed runs are adjacent in segments, runs of one name are not.
 * `clustered` and `half` match 36 seconds and half of the hour in which the traces begin. `none` matches no run, which
 * the statistics of segments show; it measures the cost of an export without rows.
 */
export const CHOICES = {
  slim: { label: "no inputs, outputs", fields: SLIM_FIELDS, filter: null },
  failed: {
    label: "all 29, the 1.6 % that failed",
    fields: EXPORT_FIELDS,
    filter: { expression: 'eq(status, "error")', where: "status = 'error'" },
  },
  spread: {
    label: "all 29, the 3 % of one name",
    fields: EXPORT_FIELDS,
    filter: { expression: 'eq(name, "send_mail")', where: "name = 'send_mail'" },
  },
  none: {
    label: "all 29, no run",
    fields: EXPORT_FIELDS,
    filter: {
      expression: 'lt(start_time, "2026-01-15T00:00:00Z")',
      where: "start_time < '2026-01-15 00:00:00'",
    },
  },
  clustered: {
    label: "all 29, 1 % of the time",
    fields: EXPORT_FIELDS,
    filter: {
      expression: 'and(gte(start_time, "2026-01-15T00:20:00Z"), lt(start_time, "2026-01-15T00:20:36Z"))',
      where: "start_time >= '2026-01-15 00:20:00' AND start_time < '2026-01-15 00:20:36'",
    },
  },
  half: {
    label: "all 29, half of the time",
    fields: EXPORT_FIELDS,
    filter: {
      expression: 'lt(start_time, "2026-01-15T00:30:00Z")',
      where: "start_time < '2026-01-15 00:30:00'",
    },
  },
  whole: { label: "all 29", fields: EXPORT_FIELDS, filter: null },
} as const satisfies Record<string, Choice>;

export type ChoiceName = keyof typeof CHOICES;

// Object.keys loses the type of the keys.
export const CHOICE_NAMES = Object.keys(CHOICES) as readonly ChoiceName[];

export const perChoice = <Value>(make: (name: ChoiceName) => Value): Record<ChoiceName, Value> => ({
  slim: make("slim"),
  failed: make("failed"),
  spread: make("spread"),
  none: make("none"),
  clustered: make("clustered"),
  half: make("half"),
  whole: make("whole"),
});
