import { z } from "@hono/zod-openapi";
import {
  IDENTIFIER,
  INDISPENSABLE_COLUMNS,
  TABLE_COLUMNS,
  type TableBinding,
  type TableSource,
} from "../../domain/project/clickhouse-binding.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { closedObject, shownInstant } from "../kernel/fields.ts";

/** User and password are sent in headers. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

const MAX_URL_CHARACTERS = 2048;

const identifier = z.string().regex(IDENTIFIER, {
  error: "Use letters, digits and underscores only; the first character must not be a digit",
});

const headerText = z.string().max(255).regex(HEADER_TEXT, { error: "Input should be ASCII text without line breaks" });

const columnNames = Object.fromEntries(TABLE_COLUMNS.map((column) => [column, identifier.nullish()]));

/** Body that binds a project to a table. The default columns are those of examples/clickhouse/create-table.sql. */
export const projectSourcePut = closedObject({
  type: z.literal("clickhouse"),
  url: z.string().min(1).max(MAX_URL_CHARACTERS),
  database: identifier.default("default"),
  table: identifier.default("runs"),
  user: headerText.default("default"),
  password: headerText,
  project: z.string().max(255).nullish(),
  columns: closedObject(columnNames)
    .refine((columns) => INDISPENSABLE_COLUMNS.every((column) => columns[column] !== null), {
      error: `A table needs columns for ${INDISPENSABLE_COLUMNS.join(", ")}`,
    })
    .optional(),
}).openapi("ProjectSourcePut");

/** Translates a valid body. Without `project`, the table must hold the project's id in the column of session_id. */
export const tableSourceOf = (sent: z.output<typeof projectSourcePut>, projectId: string): TableSource => ({
  url: sent.url,
  database: sent.database,
  table: sent.table,
  user: sent.user,
  project: sent.project ?? projectId,
  columns: Object.fromEntries(Object.entries(sent.columns ?? {}).filter(([, name]) => name !== undefined)),
});

/** The source of a project in an answer, without the password. */
export const projectSourceShown = z
  .object({
    type: z.literal("clickhouse"),
    url: z.string(),
    database: z.string(),
    table: z.string(),
    user: z.string(),
    project: z.string().openapi({ description: "Value of the column of session_id for this project." }),
    columns: z.record(z.string(), z.string().nullable()),
    bound_at: shownInstant,
  })
  .openapi("ProjectSource");

export const showBinding = ({ source, boundAt }: TableBinding): z.output<typeof projectSourceShown> => ({
  type: "clickhouse",
  url: source.url,
  database: source.database,
  table: source.table,
  user: source.user,
  project: source.project,
  columns: { ...source.columns },
  bound_at: isoFromMs(boundAt),
});
