import { describe, expect, it } from "vitest";
import type { Env } from "../../../durable/protocol/env.ts";
import { ingestChanges } from "../../../durable/worker/ingest.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { type Invalid, invalid, type RunChange } from "../../../src/trace/run/change.ts";
import { bytes, env, exported, NOON, newId, newProject, patch, post, text } from "../traces.ts";

async function* each(...changes: (RunChange | Invalid)[]) {
  for (const change of changes) yield "reason" in change ? fail(change) : ok(change);
}

describe("one ingest request", () => {
  it("accepts valid changes although another one is refused, and gives the reason", async () => {
    const { tenantId, project } = newProject();
    const [kept, foreign] = [newId(), newId()];
    const unknown = { reason: "not_found", what: "project", id: "x" } as const;
    let asked = 0;
    const outcome = await ingestChanges(
      env,
      tenantId,
      async (projects) => {
        asked += projects.length;
        return projects.map((one) => ("name" in one ? ok(project) : fail(unknown)));
      },
      each(
        post(kept),
        invalid(["post", 1], "no", "value_error").failure,
        post(foreign, { project: { id: "x" } }),
        post(newId()),
        post(newId(), { project: { id: "x" } }),
      ),
    );
    expect(outcome).toEqual({
      accepted: 2,
      refusals: [{ reason: "invalid", loc: ["post", 1], message: "no", type: "value_error" }, unknown, unknown],
      capacity: null,
    });
    expect(asked).toBe(2);
    expect((await exported({ tenantId, project })).map(({ id }) => id)).toContain(kept);
  });

  it("reaches at most a thousand days and projects: the rest is refused, with a reason", async () => {
    const { tenantId, project } = newProject();
    const places = new Set<string>();
    const shardOf = (name: string) => ({
      async ingest(changes: readonly RunChange[]) {
        places.add(name);
        return ok({ accepted: changes.length, tooLarge: [], registrationToken: null });
      },
    });
    const far = { ...env, TRACE_SHARD: { getByName: shardOf } as unknown as Env["TRACE_SHARD"] };
    const ofDay = (n: number) => post(newId(), { start_time: NOON - n * DAY_MS * 1000 });
    const days = await ingestChanges(
      far,
      tenantId,
      async (asked) => asked.map(() => ok(project)),
      each(...Array.from({ length: 1002 }, (_, n) => ofDay(n)), ofDay(0)),
    );
    expect([days.accepted, places.size]).toEqual([1001, 1000]);
    expect(days.refusals).toMatchObject([{ type: "too_large" }, { type: "too_large" }]);
    let asked = 0;
    const named = (n: number) => post(newId(), { project: { name: `project ${n}` } });
    const projects = await ingestChanges(
      far,
      tenantId,
      async (wanted) => wanted.map(() => ok({ ...project, id: String(++asked) })),
      each(...Array.from({ length: 1001 }, (_, n) => named(n))),
    );
    expect([projects.accepted, asked]).toEqual([1000, 1000]);
    expect(projects.refusals).toMatchObject([{ type: "too_large" }]);
  });

  it("may be larger than one message, and keeps the order of a run's patches", async () => {
    const { tenantId, project } = newProject(2);
    const ids = Array.from({ length: 30 }, newId);
    const home = { project: { name: "demo" }, start_time: post("").start_time };
    const large = bytes(JSON.stringify({ a: "x".repeat(500_000) }));
    const changes = [
      ...ids.map((id) => post(id, { inputs: large })),
      ...[1, 2, 3].flatMap((n) => ids.map((id) => patch(id, { ...home, name: `patch ${n}`, outputs: large }))),
      ...ids.map((id) => patch(id, { run_type: "tool" })),
    ];
    const outcome = await ingestChanges(env, tenantId, async (asked) => asked.map(() => ok(project)), each(...changes));
    expect(outcome).toEqual({ accepted: 150, refusals: [], capacity: null });
    const rows = await exported({ tenantId, project });
    expect(rows.map(({ id }) => id).sort()).toEqual(ids);
    for (const row of rows) {
      expect(row).toMatchObject({ name: "patch 3", run_type: "tool" });
      expect(text(row.inputs).length).toBe(large.length);
    }
  });
});
