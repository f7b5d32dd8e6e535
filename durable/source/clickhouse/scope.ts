import type { PageScope } from "../../../src/clickhouse/client.ts";

import type { ExportField } from "../../../src/domain/run/columns.ts";
import { ALL_FIELDS, EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";

import type { Window } from "../../../src/domain/shared/time.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import type { SourceProject } from "../port/trace-source.ts";

/** The rows and fields of a table that an export reads. */
export interface Wanted {
  readonly window: Window;
  /** Null: the fields of an export that names none. */
  readonly exportFields: readonly ExportField[] | null;
  /** As accepted; null: all rows. */
  readonly filter: string | null;
  readonly ingested: PageScope["ingested"];
}

/** Translated for the table. `id` and `start_time` are always read: a segment needs them. */
export const scopeOf = (
  { tenantId, projectId }: SourceProject,
  { window, exportFields, filter, ingested }: Wanted,
): PageScope => ({
  tenantId,
  projectId,
  start: window.start,
  end: window.end,
  ingested,
  filter: acceptedFilter(filter),
  fields: ALL_FIELDS.filter((field) => (exportFields ?? EXPORT_FIELDS).includes(field) || isNeeded(field)),
});

const isNeeded = (field: ExportField): boolean => field === "id" || field === "start_time";
