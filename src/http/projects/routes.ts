import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { projectStatistics } from "../../../durable/worker/project-statistics.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import {
  matchesNoProject,
  oneProjectQuery,
  projectCreate,
  projectCreateQuery,
  projectQuery,
  projectShown,
  projectsDeleted,
  projectsToDelete,
  projectUpdate,
  showProject,
} from "./schemas.ts";

const COMMON = { tag: "Projects", access: workspaceAccess, success: "ok", dialect: "detail" } as const;

/** Projects, which the original service calls sessions, at both paths that clients use. */
export const addProjectRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/sessions",
    aliases: ["/sessions"],
    summary: "List the projects that match, newest first",
    params: noMembers,
    query: projectQuery,
    body: null,
    answer: z.array(projectShown),
    async handle({ query, env, caller }) {
      if (matchesNoProject(query)) return ok([]);
      const projects = await caller.workspace.listProjects({
        name: query.name ?? null,
        nameContains: query.name_contains ?? null,
        ids: query.id,
        metadata: query.metadata ?? null,
        order: { by: query.sort_by ?? "start_time", isDescending: query.sort_by_desc ?? true },
        limit: query.limit,
        offset: query.offset,
      });
      const statistics = query.include_stats ? await projectStatistics(env, caller.identity.tenantId, projects) : [];
      return ok(projects.map((project, n) => showProject(project, statistics[n] ?? null)));
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/sessions",
    aliases: ["/sessions"],
    summary: "Create a project",
    params: noMembers,
    query: projectCreateQuery,
    body: projectCreate,
    answer: projectShown,
    failures: ["conflict"],
    async handle({ body, query, caller }) {
      const extra = body.extra ?? null;
      const created = await caller.workspace.createProject({
        id: body.id ?? null,
        name: body.name,
        upsert: query.upsert,
        description: body.description ?? null,
        extra: extra === null ? null : JSON.stringify(extra),
        retentionDays: body.retention_days,
      });
      return created.ok ? ok(showProject(created.value, null)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/sessions/{session_id}",
    aliases: ["/sessions/{session_id}"],
    summary: "Retrieve a project",
    params: z.object({ session_id: uuid }),
    query: oneProjectQuery,
    body: null,
    answer: projectShown,
    async handle({ params, query, env, caller }) {
      const found = await caller.workspace.project(params.session_id);
      if (!found.ok) return found;
      const project = found.value;
      const statistics = query.include_stats ? await projectStatistics(env, caller.identity.tenantId, [project]) : [];
      return ok(showProject(project, statistics[0] ?? null));
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: "/api/v1/sessions/{session_id}",
    aliases: ["/sessions/{session_id}"],
    summary: "Change a project; absent members are not changed",
    params: z.object({ session_id: uuid }),
    query: noMembers,
    body: projectUpdate,
    answer: projectShown,
    failures: ["conflict"],
    async handle({ params, body, caller }) {
      const changed = await caller.workspace.changeProject({
        id: params.session_id,
        name: body.name ?? null,
        description: body.description ?? null,
        extra: (body.extra ?? null) === null ? null : JSON.stringify(body.extra),
        endTime: body.end_time ?? null,
        retentionDays: body.retention_days,
      });
      return changed.ok ? ok(showProject(changed.value, null)) : changed;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: "/api/v1/sessions/{session_id}",
    aliases: ["/sessions/{session_id}"],
    summary: "Delete a project with all its runs; its exports and schedules fail",
    params: z.object({ session_id: uuid }),
    query: noMembers,
    body: null,
    success: "deleted",
    answer: null,
    handle: ({ params, caller }) => caller.workspace.deleteProject(params.session_id),
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: "/api/v1/sessions",
    aliases: ["/sessions"],
    summary: "Delete several projects with all their runs; 207 if only some of them existed",
    params: noMembers,
    query: projectsToDelete,
    body: null,
    answer: projectsDeleted,
    isPartial: (answer) => answer.not_found.length > 0,
    failures: ["notFound"],
    async handle({ query, caller }) {
      const wanted = [...new Set(query.session_ids)];
      const deleted: string[] = [];
      for (const id of wanted) if ((await caller.workspace.deleteProject(id)).ok) deleted.push(id);
      if (deleted.length === 0) return fail({ reason: "not_found", what: "project", id: wanted.join(", ") });
      return ok({ deleted, not_found: wanted.filter((id) => !deleted.includes(id)) });
    },
  });
};
