import { beforeAll, describe, expect, it } from "vitest";
import { call, EXPORTS, newDestination, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

const FAULTY = 'and(eq(name,"x"),eq(colour,"red"))';

let workspace: TestWorkspace;
let members: object;

beforeAll(async () => {
  workspace = await newWorkspace();
  members = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: await newProject(workspace),
    start_time: "2030-01-01T00:00:00Z",
    end_time: "2030-01-02T00:00:00Z",
  };
});

const post = (path: string, body: object) => call("POST", `${EXPORTS}${path}`, { headers: workspace.headers, body });

describe("a filter", () => {
  it("is stored as it was sent, and returned", async () => {
    const filter = ` and( eq(is_root, True) , gt(latency, "5s")) `;
    const created = await post("", { ...members, filter });
    expect([created.status, created.body.filter]).toEqual([200, filter]);
    const clone = await post(`/${created.body.id}/clone`, {});
    expect(clone.body.filter).toBe(filter);
    const another = await post(`/${created.body.id}/clone`, { filter: 'eq(name,"x")' });
    expect(another.body.filter).toBe('eq(name,"x")');
    const whole = await post(`/${created.body.id}/clone`, { filter: null });
    expect([whole.status, whole.body.filter]).toEqual([200, null]);
  });

  it("that is not valid is refused with the position and the expectation on each route", async () => {
    const { id } = (await post("", members)).body;
    for (const path of ["", `/${id}/clone`, "/estimate"]) {
      const answer = await post(path, { ...members, filter: FAULTY });
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [
          {
            loc: ["body", "filter"],
            msg: "The filter is not valid at position 20: expected a field of a run; there is none named colour",
            type: "value_error",
          },
        ],
      ]);
    }
  });
});

describe("the filters of a query", () => {
  const validate = (body: object) => call("POST", "/api/v1/runs/query/validate", { body });

  it("are valid if each one is valid, in any query", async () => {
    const answer = await validate({ session: ["x"], limit: 3, filter: 'eq(name,"x")', trace_filter: null });
    expect([answer.status, answer.body]).toEqual([200, { valid: true, errors: [] }]);
  });

  it("are reported one by one if they are not valid", async () => {
    const answer = await validate({
      filter: FAULTY,
      search_filter: "eq(",
      trace_filter: "eq(is_root,true)",
      tree_filter: "",
    });
    expect(answer.body).toEqual({
      valid: false,
      errors: [
        { field: "filter", message: expect.stringContaining("position 20: expected a field") },
        { field: "search_filter", message: expect.stringContaining("position 3: expected") },
        { field: "tree_filter", message: expect.stringContaining("position 0: expected") },
      ],
    });
  });
});
