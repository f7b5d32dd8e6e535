import { describe, expect, it } from "vitest";
import type { Project } from "../../../src/domain/project/records.ts";
import type { WorkspaceEvent } from "../../../src/domain/workspace/events.ts";
import { workspace } from "../../../src/domain/workspace/index.ts";
import { changeProject, projectsOf, refuseProject, takenOver } from "../../../src/domain/workspace/projects.ts";
import type { OpenWorkspace } from "../../../src/domain/workspace/state.ts";
import { specification } from "../../support/given.ts";
import { definition, NOW } from "../../support/samples.ts";

const { given } = specification(workspace);

const project = (name: string, fields: Partial<Project> = {}): Project => ({
  id: name === "demo" ? definition.projectId : `id of ${name}`,
  tenantId: definition.tenantId,
  name,
  shards: 1,
  description: null,
  extra: null,
  startTime: NOW,
  retentionDays: null,
  ...fields,
});
const created: WorkspaceEvent = { type: "WorkspaceCreated", id: definition.tenantId, name: "w", plan: "plus", at: NOW };
const having = (...projects: Project[]) =>
  given(created, ...projects.map((one): WorkspaceEvent => ({ type: "ProjectCreated", project: one, at: NOW })));
const demo = project("demo");
const deleted: WorkspaceEvent = { type: "ProjectDeleted", id: demo.id, at: NOW };
const gone = given(created, { type: "ProjectCreated", project: demo, at: NOW }, deleted);
const registered = { type: "RegisterExport", definition, maxRunning: 15, now: NOW } as const;
const open = ({ state }: { state: unknown }) => state as OpenWorkspace; // every log here begins with its creation
const names = (state: OpenWorkspace, by: "name" | "start_time", isDescending: boolean) =>
  projectsOf(state, { name: null, nameContains: null, ids: null, metadata: null, order: { by, isDescending } }).map(
    (one) => one.name,
  );

describe("projects are found by metadata", () => {
  const tagged = (name: string, extra: object | null) =>
    project(name, { extra: extra === null ? null : JSON.stringify(extra) });
  const state = open(
    having(
      tagged("one", { metadata: { team: "a", owners: ["ada", "bob"], deep: { a: 1, b: null } } }),
      tagged("two", { metadata: { team: "b", owners: [] }, team: "a" }),
      tagged("three", { metadata: null }),
      tagged("four", null),
    ),
  );
  it.each<[metadata: object, found: readonly string[]]>([
    [{ team: "a" }, ["one"]],
    [{ team: "a", owners: ["bob"] }, ["one"]],
    [{ owners: [] }, ["one", "two"]],
    [{ owners: "bob" }, []],
    [{ owners: { 0: "ada" } }, []],
    [{ deep: { a: 1 } }, ["one"]],
    [{ deep: { b: null } }, ["one"]],
    [{ deep: { c: null } }, []],
    [{ deep: { a: "1" } }, []],
    [{ toString: {} }, []],
    [{}, ["four", "one", "three", "two"]],
  ])("that hold %j: %j", (metadata, found) => {
    const order = { by: "name", isDescending: false } as const;
    const query = { name: null, nameContains: null, ids: null, metadata: { ...metadata }, order };
    expect(projectsOf(state, query).map(({ name }) => name)).toEqual(found);
  });
});

describe("a project", () => {
  it("that was renamed is found by its new name only, and its old one is free", () => {
    const renamed = project("new", { id: demo.id });
    const after = given(
      created,
      { type: "ProjectCreated", project: demo, at: NOW },
      { type: "ProjectChanged", project: renamed, at: NOW },
    );
    const named = (name: string) =>
      projectsOf(open(after), {
        name,
        nameContains: null,
        ids: null,
        metadata: null,
        order: { by: "name", isDescending: false },
      });
    expect([named("new"), named("demo")]).toEqual([[renamed], []]);
    after
      .when({ type: "CreateProject", project: project("demo", { id: "another" }), now: NOW })
      .then({ type: "ProjectCreated", project: project("demo", { id: "another" }), at: NOW });
  });

  it("whose retention ends earlier than before lets its days hear of it; a longer one reaches them by itself", () => {
    const change = (before: number | null, after: number | null) => {
      const changed = project("demo", { retentionDays: after });
      const events = having(project("demo", { retentionDays: before })).when({
        type: "ChangeProject",
        project: changed,
        now: NOW,
      });
      return { events, changed: { type: "ProjectChanged", project: changed, at: NOW } as const };
    };
    for (const [before, after] of [
      [null, 30],
      [30, 29],
    ] as const) {
      const { events, changed } = change(before, after);
      events.then(changed, { type: "RetentionShortened", id: demo.id, at: NOW });
    }
    for (const [before, after] of [
      [30, null],
      [30, 31],
    ] as const) {
      const { events, changed } = change(before, after);
      events.then(changed);
    }
  });

  it("of which is said what is known already stays as it is: clients that upsert at each start make its log no longer", () => {
    const said = { description: "d", extra: '{"metadata":{}}', retentionDays: 30 };
    const known = project("demo", said);
    const wanted = { id: null, name: "demo", ...said };
    const again = (project: Project) => having(known).when({ type: "ChangeProject", project, now: NOW });
    const change = takenOver(known.id, wanted);
    const changed = change === null ? null : changeProject(open(having(known)), change);
    again(changed?.ok ? changed.value : demo).thenNothing();
    const ended = { ...known, endTime: NOW };
    again(ended).then({ type: "ProjectChanged", project: ended, at: NOW });
  });

  it("cannot take another's name, and keeps its own", () => {
    const state = open(having(demo, project("other")));
    const change = { id: demo.id, description: null, extra: null, endTime: null, retentionDays: undefined };
    expect(changeProject(state, { ...change, name: "other" })).toMatchObject({ failure: { reason: "conflict" } });
    expect(changeProject(state, { ...change, name: "demo" })).toMatchObject({ ok: true, value: demo });
    const unknown = changeProject(state, { ...change, id: "unknown", name: null });
    expect(unknown).toMatchObject({ failure: { reason: "not_found" } });
  });

  it("that was deleted leaves its name to a new one, but never its id", () => {
    having(demo).when({ type: "DeleteProject", id: demo.id, now: NOW }).then(deleted);
    gone.when({ type: "DeleteProject", id: demo.id, now: NOW }).then();
    gone.when({ type: "CreateProject", project: demo, now: NOW }).then();
    expect(refuseProject(open(gone), { ...demo, upsert: false })).toMatchObject({ reason: "conflict" });
    expect(refuseProject(open(gone), { id: null, name: "demo", upsert: false })).toBeNull();
    expect(names(open(gone), "name", false)).toEqual([]);
  });

  it("that was deleted gets no window of a schedule that has not heard of it", () => {
    gone.when(registered).then();
  });
});

it("projects are listed by name or by their beginning, in either direction", () => {
  const state = open(having(project("b"), project("a", { startTime: NOW + 1 }), project("c", { startTime: NOW - 1 })));
  expect(names(state, "start_time", true)).toEqual(["a", "b", "c"]);
  expect(names(state, "start_time", false)).toEqual(["c", "b", "a"]);
  expect(names(state, "name", true)).toEqual(["c", "b", "a"]);
});
