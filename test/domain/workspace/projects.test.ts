import { describe, expect, it } from "vitest";
import type { Project } from "../../../src/domain/project/records.ts";
import type { WorkspaceCommand, WorkspaceOrder } from "../../../src/domain/workspace/commands.ts";
import type { WorkspaceEvent } from "../../../src/domain/workspace/events.ts";
import { workspace } from "../../../src/domain/workspace/index.ts";
import { projectsOf } from "../../../src/domain/workspace/project-query.ts";
import type { OpenWorkspace } from "../../../src/domain/workspace/state.ts";
import { type ProjectChange, projectNamed, type WantedProject } from "../../../src/domain/workspace/wanted-project.ts";
import { specification } from "../../support/given.ts";
import { config, definition, NOW } from "../../support/samples.ts";

const { given } = specification(workspace);

const project = (name: string, fields: Partial<Project> = {}): Project => ({
  id: name === "demo" ? definition.projectId : `id of ${name}`,
  tenantId: definition.tenantId,
  name,
  shards: 1,
  description: null,
  extra: null,
  startTime: NOW,
  endTime: null,
  retentionDays: null,
  ...fields,
});
const demo = project("demo");
const created: WorkspaceEvent = { type: "WorkspaceCreated", id: definition.tenantId, name: "w", plan: "plus", at: NOW };
const having = (...projects: Project[]) =>
  given(created, ...projects.map((one): WorkspaceEvent => ({ type: "ProjectCreated", project: one, at: NOW })));
const deleted: WorkspaceEvent = { type: "ProjectDeleted", id: demo.id, at: NOW };
const gone = given(created, { type: "ProjectCreated", project: demo, at: NOW }, deleted);
const commandOf = (order: WorkspaceOrder): WorkspaceCommand => ({ ...order, tenantId: definition.tenantId, now: NOW });
const defaults = { id: "new id", shards: 1, retentionDays: null };
const create = (wanted: Partial<WantedProject> & { readonly name: string }, upsert = false) =>
  commandOf({ type: "CreateProject", wanted: { ...projectNamed(wanted.name), ...wanted }, upsert, defaults });
const changed = (change: Partial<ProjectChange>) =>
  commandOf({ type: "ChangeProject", change: { ...NO_CHANGE, ...change } });
const NO_CHANGE = {
  id: demo.id,
  name: null,
  description: null,
  extra: null,
  endTime: null,
  retentionDays: undefined,
};
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
  it("that was renamed is found by its new name only, and its old name is free", () => {
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
      .when(create({ id: "another", name: "demo" }))
      .then({ type: "ProjectCreated", project: project("demo", { id: "another" }), at: NOW });
  });

  it("sends a shorter retention to its days; a longer one needs no message", () => {
    const change = (before: number | null, after: number | null) => ({
      outcome: having(project("demo", { retentionDays: before })).when(changed({ retentionDays: after })),
      event: {
        type: "ProjectChanged",
        project: project("demo", { retentionDays: after, endTime: null }),
        at: NOW,
      } as const,
    });
    for (const [before, after] of [
      [null, 30],
      [30, 29],
    ] as const) {
      const { outcome, event } = change(before, after);
      outcome.then(event, { type: "RetentionShortened", id: demo.id, at: NOW });
    }
    for (const [before, after] of [
      [30, null],
      [30, 31],
    ] as const) {
      const { outcome, event } = change(before, after);
      outcome.then(event);
    }
  });

  it("that is created again with the same description adds nothing to the log", () => {
    const members = { description: "d", extra: '{"metadata":{}}', retentionDays: 30 };
    const known = having(project("demo", members));
    known.when(create({ name: "demo", ...members }, true)).thenNothing();
    known.when(create({ name: "demo", extra: "{}" }, true)).thenNothing();
    const described = { ...project("demo", members), description: "other", endTime: null };
    known
      .when(create({ name: "demo", description: "other" }, true))
      .then({ type: "ProjectChanged", project: described, at: NOW });
    const ended = project("demo", { ...members, endTime: NOW });
    known.when(changed({ endTime: NOW })).then({ type: "ProjectChanged", project: ended, at: NOW });
  });

  it("cannot take the name or id of another project, but can keep its own", () => {
    const two = having(demo, project("other"));
    two.when(changed({ name: "other" })).thenRefused({ reason: "conflict" });
    two.when(changed({ name: "demo" })).thenNothing();
    two.when(changed({ id: "unknown" })).thenRefused({ reason: "not_found", what: "project" });
    two.when(create({ name: "demo" })).thenRefused({ reason: "conflict" });
    two.when(create({ id: demo.id, name: "third" })).thenRefused({ reason: "conflict" });
  });

  it("that was deleted frees its name, but never its id", () => {
    const deletion = commandOf({ type: "DeleteProject", id: demo.id });
    having(demo).when(deletion).then(deleted);
    gone.when(deletion).thenRefused({ reason: "not_found", what: "project" });
    gone.when(create({ id: demo.id, name: "demo" })).thenRefused({ reason: "conflict" });
    const next = project("demo", { id: defaults.id });
    gone.when(create({ name: "demo" })).then({ type: "ProjectCreated", project: next, at: NOW });
    expect(names(open(gone), "name", false)).toEqual([]);
  });

  it("that was deleted gets no new window and no new export", () => {
    gone.when(commandOf({ type: "SpawnExport", definition, maxRunning: 15 })).thenNothing();
    const destination: WorkspaceEvent = { type: "DestinationAdded", id: definition.destinationId, config, at: NOW };
    given(created, { type: "ProjectCreated", project: demo, at: NOW }, destination, deleted)
      .when(commandOf({ type: "CreateExport", definition, maxRunning: 15 }))
      .thenRefused({ reason: "not_found", what: "project" });
  });

  it("is opened together with a key, unless the key was revoked before", () => {
    const key = { keyHash: "abc", label: "agent", role: "ingest", userId: "deployment-1" } as const;
    const opened = commandOf({ type: "OpenProject", name: "demo", key, defaults });
    const added: WorkspaceEvent = { type: "KeyAdded", key: { ...key, createdAt: NOW }, at: NOW };
    const fresh = project("demo", { id: defaults.id });
    given(created).when(opened).then({ type: "ProjectCreated", project: fresh, at: NOW }, added);
    having(demo).when(opened).then(added);
    given(created, { type: "KeyRevoked", keyHash: "abc", at: NOW }).when(opened).thenRefused({ reason: "conflict" });
  });

  it("keeps the instant of its binding when only the password changes", () => {
    const source = {
      ...{ url: "https://clickhouse.example.net", database: "default", table: "runs", user: "reader" },
      ...{ project: "p", columns: {} },
    };
    const bind = (envelope: string, now: number) => ({
      ...commandOf({ type: "BindProject", id: demo.id, source, envelope }),
      now,
    });
    const first = having(demo).when(bind("sealed", NOW));
    const binding = { source, envelope: "sealed", boundAt: NOW, since: NOW };
    first.then({ type: "ProjectBound", id: demo.id, binding, at: NOW });
    const again = { ...binding, envelope: "other", boundAt: NOW + 1 };
    given(created, { type: "ProjectCreated", project: demo, at: NOW }, ...first.events)
      .when(bind("other", NOW + 1))
      .then({ type: "ProjectBound", id: demo.id, binding: again, at: NOW + 1 });
    having(demo)
      .when(commandOf({ type: "UnbindProject", id: demo.id }))
      .thenRefused({ reason: "not_found", what: "source" });
  });
});

it("projects are listed by name or by start time, in either direction", () => {
  const state = open(having(project("b"), project("a", { startTime: NOW + 1 }), project("c", { startTime: NOW - 1 })));
  expect(names(state, "start_time", true)).toEqual(["a", "b", "c"]);
  expect(names(state, "start_time", false)).toEqual(["c", "b", "a"]);
  expect(names(state, "name", true)).toEqual(["c", "b", "a"]);
});
