import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { fail, ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { projectSourcePut, projectSourceShown, showBinding, tableSourceOf } from "./source-schema.ts";

const COMMON = {
  tag: "Projects",
  access: exportAccess,
  dialect: "detail",
  path: "/api/v1/sessions/{session_id}/source",
  params: z.object({ session_id: uuid }),
  query: noMembers,
} as const;

/** The source of a project's exports: a ClickHouse table of the customer instead of the built-in store. */
export const addProjectSourceRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "put",
    summary: "Read a project's exports from ClickHouse; the table is checked by a query that reads no rows",
    body: projectSourcePut,
    success: "ok",
    answer: projectSourceShown,
    failures: ["notFound", "sourceCheckFailed", "conflict"],
    async handle({ params, body, caller }) {
      const id = params.session_id;
      const bound = await caller.workspace.bindProject({
        id,
        source: tableSourceOf(body, id),
        password: body.password,
      });
      return bound.ok ? ok(showBinding(bound.value)) : bound;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    summary: "Retrieve the source of a project's exports; 404 for the built-in store",
    body: null,
    success: "ok",
    answer: projectSourceShown,
    failures: ["notFound"],
    async handle({ params, caller }) {
      const binding = await caller.workspace.binding(params.session_id);
      if (binding !== null) return ok(showBinding(binding));
      return fail({ reason: "not_found", what: "source", id: params.session_id });
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    summary: "Read a project's exports from the built-in store again",
    body: null,
    success: "deleted",
    answer: null,
    failures: ["notFound"],
    handle: ({ params, caller }) => caller.workspace.unbindProject(params.session_id),
  });
};
