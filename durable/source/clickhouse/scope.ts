import type { PageScope } from "../../../src/clickhouse/client.ts";
import type { Project } from "../../../src/domain/project/records.ts";
import { ALL_FIELDS, EXPORT_FIELDS, type ExportField } from "../../../src/domain/shared/fields.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { Filter } from "../../../src/filter/filter.ts";

/** The rows and fields of a table that an export is about; what segments cannot do without is always among them. */
export const scopeOf = ({
  project,
  window,
  exportFields,
  filter,
  ingested,
}: {
  readonly project: Pick<Project, "id" | "tenantId">;
  readonly window: Window;
  readonly exportFields: readonly ExportField[] | null;
  readonly filter: Filter | null;
  readonly ingested: PageScope["ingested"];
}): PageScope => ({
  tenantId: project.tenantId,
  projectId: project.id,
  start: window.start * 1000,
  end: window.end * 1000,
  ingested,
  filter,
  fields: ALL_FIELDS.filter((field) => (exportFields ?? EXPORT_FIELDS).includes(field) || isNeeded(field)),
});

const isNeeded = (field: ExportField): boolean => field === "id" || field === "start_time";
