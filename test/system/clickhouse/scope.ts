import type { PageScope } from "../../../src/clickhouse/client.ts";
import type { ExportField } from "../../../src/domain/run/columns.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { DAY_START } from "./runs.ts";

/** What the tests of the adapter query. */

export const TENANT = "6f1e3b5a-9c0d-4e2f-8a7b-000000000001";
export const PROJECT = "6f1e3b5a-9c0d-4e2f-8a7b-000000000002";

/** The day of runs.ts, without a filter. */
export const dayOf = (fields: readonly ExportField[]): PageScope => ({
  tenantId: TENANT,
  projectId: PROJECT,
  start: DAY_START * 1000,
  end: (DAY_START + DAY_MS) * 1000,
  ingested: null,
  filter: null,
  fields,
});

export const must = <T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: unknown },
): T => {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.failure));
};
