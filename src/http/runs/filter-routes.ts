import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ok } from "../../domain/shared/result.ts";
import { openAccess } from "../kernel/auth.ts";
import { noMembers } from "../kernel/fields.ts";
import { filterProblem } from "../kernel/filter-schema.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";

/** Members of a query that hold filters, in the order in which their faults are reported. */
const FILTERS = ["filter", "search_filter", "trace_filter", "tree_filter"] as const;

/** The body of a query of runs; only its filters are checked. */
const queryToValidate = z
  .looseObject({
    filter: z.string().nullish(),
    search_filter: z.string().nullish(),
    trace_filter: z.string().nullish(),
    tree_filter: z.string().nullish(),
  })
  .openapi("RunQueryToValidate");

const validationShown = z
  .object({ valid: z.boolean(), errors: z.array(z.object({ field: z.string(), message: z.string() })) })
  .openapi("RunQueryValidation");

/** Validates filters without reading runs. */
export const addFilterRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "post",
    path: "/api/v1/runs/query/validate",
    tag: "Runs",
    access: openAccess,
    dialect: "detail",
    summary: "Check the filters of a query: what was expected, and where",
    params: noMembers,
    query: noMembers,
    body: queryToValidate,
    success: "ok",
    answer: validationShown,
    async handle({ body }) {
      const errors = FILTERS.flatMap((field) => {
        const text = body[field] ?? null;
        const message = text === null ? null : filterProblem(text);
        return message === null ? [] : [{ field, message }];
      });
      return ok({ valid: errors.length === 0, errors });
    },
  });
};
