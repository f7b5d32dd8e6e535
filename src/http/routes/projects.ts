import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ok } from "../../domain/result.ts";
import { workspaceAccess } from "../auth.ts";
import type { HttpEnv } from "../operation.ts";
import { register } from "../register.ts";
import { nothing, uuid } from "../schemas/fields.ts";
import { projectCreate, projectCreateQuery, projectQuery, projectShown, showProject } from "../schemas/project.ts";

const COMMON = { tag: "Projects", access: workspaceAccess, success: "ok", dialect: "detail" } as const;

/** Projects, under the original's word "sessions", at both places where clients look for them. */
export const addProjectRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/sessions",
    aliases: ["/sessions"],
    summary: "List projects, all or those that fit",
    params: nothing,
    query: projectQuery,
    body: null,
    answer: z.array(projectShown),
    async handle({ query, who }) {
      const ids = query.id === undefined ? null : [query.id].flat();
      const projects = await who.workspace.listProjects({
        name: query.name ?? null,
        nameContains: query.name_contains ?? null,
        ids,
        limit: query.limit,
        offset: query.offset,
      });
      return ok(projects.map(showProject));
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/sessions",
    aliases: ["/sessions"],
    summary: "Create a project",
    params: nothing,
    query: projectCreateQuery,
    body: projectCreate,
    answer: projectShown,
    failures: ["conflict"],
    async handle({ body, query, who }) {
      const extra = body.extra ?? null;
      const created = await who.workspace.createProject({
        id: body.id ?? null,
        name: body.name,
        upsert: query.upsert,
        description: body.description ?? null,
        extra: extra === null ? null : JSON.stringify(extra),
      });
      return created.ok ? ok(showProject(created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/sessions/{session_id}",
    aliases: ["/sessions/{session_id}"],
    summary: "Retrieve a project",
    params: z.object({ session_id: uuid }),
    query: nothing,
    body: null,
    answer: projectShown,
    async handle({ params, who }) {
      const found = await who.workspace.project(params.session_id);
      return found.ok ? ok(showProject(found.value)) : found;
    },
  });
};
