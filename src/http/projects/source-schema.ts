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

/** User and password travel in headers. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

const URL_MOST_CHARACTERS = 2048;

const identifier = z.string().regex(IDENTIFIER, {
  error: "Use a plain name: letters, digits and underscores, not beginning with a digit",
});

const headerText = z.string().max(255).regex(HEADER_TEXT, { error: "Input should be ASCII text without line breaks" });

const columnNames = Object.fromEntries(TABLE_COLUMNS.map((column) => [column, identifier.nullish()]));

/** The table that a project's runs are read from. What is left out is as examples/clickhouse/create-table.sql has it. */
export const projectSourcePut = closedObject({
  type: z.literal("clickhouse"),
  url: z.string().min(1).max(URL_MOST_CHARACTERS),
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

/** `project` stands for the runs of the project with that id, unless the table calls it otherwise. */
export const sourceOf = (sent: z.output<typeof projectSourcePut>, projectId: string): TableSource => ({
  url: sent.url,
  database: sent.database,
  table: sent.table,
  user: sent.user,
  project: sent.project ?? projectId,
  columns: Object.fromEntries(Object.entries(sent.columns ?? {}).filter(([, name]) => name !== undefined)),
});

/** Where a project's runs are read from; never the password. */
export const projectSourceShown = z
  .object({
    type: z.literal("clickhouse"),
    url: z.string(),
    database: z.string(),
    table: z.string(),
    user: z.string(),
    project: z.string().openapi({ description: "What the column of session_id holds for this project." }),
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
