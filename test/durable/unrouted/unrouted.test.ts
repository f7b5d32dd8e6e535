import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../../durable/protocol/env.ts";
import type { TraceShardProtocol } from "../../../durable/protocol/shard.ts";
import { UnroutedSearch } from "../../../durable/unrouted/search.ts";
import { UnroutedStore } from "../../../durable/unrouted/store.ts";
import type { UnroutedActor } from "../../../durable/unrouted/unrouted.ts";
import { ANY_FEEDBACK } from "../../../durable/worker/feedback.ts";
import { ok } from "../../../src/domain/shared/result.ts";
import { DAY_MS, dayOf, startOfDay } from "../../../src/domain/shared/time.ts";
import {
  bytes,
  DAY,
  env,
  exported,
  feedback,
  ingest,
  NOON,
  newId,
  newProject,
  patch,
  post,
  type TestProject,
  unroutedOf,
} from "../traces.ts";

const ended = { end_time: NOON + 1, outputs: bytes("{}") };

const stub = ({ tenantId }: TestProject) =>
  env.UNROUTED.getByName(`unrouted/${tenantId}`) as unknown as DurableObjectStub<UnroutedActor>;

describe("a patch that names neither project nor day", () => {
  it("finds its run", async () => {
    const project = newProject(3);
    const ids = Array.from({ length: 20 }, newId);
    await ingest(project, ...ids.map((id) => post(id)));
    expect(await unroutedOf(project).route(ids.map((id) => patch(id, ended)))).toEqual(
      ok({ delivered: 20, kept: 0, tooLarge: [] }),
    );
    expect((await exported(project)).map(({ status }) => status)).toEqual(ids.map(() => "success"));
  });

  it("finds its run within the same request, and after the run was sealed", async () => {
    const project = newProject();
    const [a, b] = [newId(), newId()];
    await ingest(project, patch(a, ended), post(a), post(b));
    await exported(project);
    await ingest(project, patch(b, ended));
    expect((await exported(project)).map(({ status }) => status)).toEqual(["success", "success"]);
  });

  it("waits for its run, and a snapshot right after the run includes it", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, patch(id, { ...ended, name: "first" }));
    await ingest(project, patch(id, { name: "second" }));
    await evictDurableObject(stub(project));
    await ingest(project, post(id));
    await ingest(project, patch(id, { run_type: "llm" }));
    expect(await exported(project)).toMatchObject([{ status: "success", name: "second", run_type: "llm" }]);
  });

  it("is delivered by the alarm", async () => {
    const project = newProject();
    const id = newId();
    expect(await unroutedOf(project).route([patch(id, ended)])).toEqual(ok({ delivered: 0, kept: 1, tooLarge: [] }));
    await ingest(project, post(id));
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await runDurableObjectAlarm(stub(project));
    expect(await unroutedOf(project).route([patch(id, {})])).toEqual(ok({ delivered: 1, kept: 0, tooLarge: [] }));
    expect(await exported(project)).toMatchObject([{ status: "success" }]);
  });

  it("of several megabytes is stored unchanged while it waits", async () => {
    const project = newProject();
    const id = newId();
    const large = `{"a":"${"0123456789".repeat(500_000)}"}`;
    await ingest(project, patch(id, { outputs: bytes(large) }));
    await evictDurableObject(stub(project));
    await ingest(project, post(id));
    const [row] = await exported(project);
    expect(new TextDecoder().decode(row?.outputs ?? new Uint8Array()) === large).toBe(true);
  });
});

describe("very many changes without their runs", () => {
  const MANY = 25_000;
  const park = (project: TestProject, parkedAt: number): Promise<void> =>
    runInDurableObject(stub(project), (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO unrouted_change (run, likely, added_at, tries, due_at, bytes)
        SELECT printf('ffffffff-0000-4000-8000-%012d', i), '[]', ?, 0, ?, 512 FROM n`,
        MANY,
        parkedAt,
        Number.MAX_SAFE_INTEGER,
      );
    });

  it("do not delay a snapshot", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, patch(newId(), ended));
    await park(project, Date.now());
    await ingest(project, patch(id, ended));
    await ingest(project, post(id));
    expect(await exported(project)).toMatchObject([{ status: "success" }]);
  });

  it("are looked up once on each day, and again only where their runs may have arrived since", async () => {
    const project = newProject();
    const days = ["2030-01-02", "2030-01-03", "2030-01-04"];
    const [early, lost, late] = [newId(), newId(), newId()];
    for (const day of [0, 1, 2]) await ingest(project, post(newId(), { start_time: NOON + day * DAY_MS * 1000 }));
    await ingest(project, patch(early, ended), patch(lost, ended));
    await park(project, Date.now());
    // The stored changes are counted again.
    await evictDurableObject(stub(project));
    /** The run ids that shards were asked for. */
    let requested: string[] = [];
    await runInDurableObject(stub(project), (instance) => {
      // The alarm looks for runs too, at a time that depends on the machine.
      instance.alarm = async () => {};
      // `env` is protected in the types alone.
      const inside = instance as unknown as { env: Env };
      const { TRACE_SHARD } = inside.env;
      const getByName = (name: string) => {
        const shard = TRACE_SHARD.getByName(name) as unknown as TraceShardProtocol;
        const has = (ids: readonly string[]) => {
          requested.push(...ids);
          return shard.has(ids);
        };
        return {
          has,
          arrivals: (...args: Parameters<typeof shard.arrivals>) => shard.arrivals(...args),
          ingest: (...args: Parameters<typeof shard.ingest>) => shard.ingest(...args),
        };
      };
      inside.env = { ...inside.env, TRACE_SHARD: { getByName } as unknown as Env["TRACE_SHARD"] };
    });
    const search = async (): Promise<string[]> => {
      requested = [];
      const projectIds = [project.project.id];
      const [firstDay = "", , lastDay = ""] = days;
      const found = await unroutedOf(project).daysToQuery({ projectIds, firstDay, lastDay, order: "asc", limit: 10 });
      expect(found.map(({ day }) => day)).toEqual(days);
      return requested;
    };
    expect(await search()).toEqual([]);
    await ingest(project, post(early));
    expect(await search()).toEqual([early]);
    await exported(project);
    expect(await search()).toEqual([]);
    await unroutedOf(project).route([patch(late, ended)]);
    expect(await search()).toEqual([late, late, late]);
    await ingest(project, post(late));
    await exported(project);
    expect(await search()).toEqual([]);
    const patched = (await exported(project)).filter(({ status }) => status === "success").map(({ id }) => id);
    expect(patched.sort()).toEqual([early, late]);
  });

  it("are all dropped after a week", async () => {
    const project = newProject();
    await unroutedOf(project).route([patch(newId(), ended)]);
    await park(project, Date.now() - 8 * 86_400_000);
    await runDurableObjectAlarm(stub(project));
    await runInDurableObject(stub(project), (_, { storage }) => {
      expect(storage.sql.exec("SELECT count(*) AS left FROM unrouted_change").one()).toEqual({ left: 1 });
    });
  });
});

describe("where the capacity for changes without runs is small", () => {
  /** Capacity in bytes; half of it for changes whose runs do not exist. */
  const narrowed = async (room: Partial<Env>, project = newProject()): Promise<TestProject> => {
    await runInDurableObject(stub(project), (instance) => {
      // `env` is protected in the types alone.
      const inside = instance as unknown as { env: Env };
      inside.env = { ...inside.env, ...room };
    });
    return project;
  };
  const narrow = () => narrowed({ MAX_PARKED_CHANGES: 6 });
  const full = { accepted: 0, refusals: [], capacity: expect.objectContaining({ retryAfterSeconds: 60 }) };
  const given = async (project: TestProject) =>
    (await unroutedOf(project).listFeedback({ ...ANY_FEEDBACK, offset: 0, limit: 99 })).located.map(
      ({ runId }) => runId,
    );

  it("changes above it are refused and leave nothing, waiting ones stay, and both arrive when the runs exist", async () => {
    const project = await narrow();
    const ids = Array.from({ length: 5 }, newId);
    const scores = ids.map((id) => feedback(id, { key: "k", score: 1 }));
    for (const score of scores.slice(0, 3)) expect((await ingest(project, score)).accepted).toBe(1);
    for (const score of scores.slice(3)) expect(await ingest(project, score)).toEqual(full);
    expect((await given(project)).sort()).toEqual(ids.slice(0, 3));
    await ingest(project, ...ids.map((id) => post(id)));
    for (const score of scores.slice(3)) expect((await ingest(project, score)).accepted).toBe(1);
    expect((await exported(project)).map(({ feedback_stats }) => feedback_stats !== null)).toEqual(ids.map(() => true));
  });

  it("changes of existing runs are accepted, and so are posts beside refused changes", async () => {
    const project = await narrow();
    const [run, beside] = [newId(), newId()];
    await ingest(project, post(run));
    for (let n = 0; n < 3; n += 1) await ingest(project, patch(newId(), ended));
    expect((await ingest(project, patch(run, ended))).accepted).toBe(1);
    expect(await ingest(project, post(beside), patch(run, { name: "no" }), patch(newId(), ended))).toEqual(full);
    expect(await exported(project)).toMatchObject([{ id: run, status: "success" }, { id: beside }]);
  });

  it("waiting feedback can no longer be changed, delivered feedback can", async () => {
    const project = await narrow();
    const run = newId();
    await ingest(project, post(run));
    const [home, away] = [feedback(run, { key: "k", score: 1 }), feedback(newId(), { key: "k", score: 1 })];
    await ingest(project, home, away, patch(newId()), patch(newId()));
    const edit = (one: typeof home) =>
      unroutedOf(project).editFeedback({ id: one.feedback?.id ?? "", json: "{}", edit: "delete" });
    expect(await edit(away)).toMatchObject({ ok: false, failure: { reason: "capacity" } });
    expect(await edit(home)).toEqual(ok(true));
    expect(await given(project)).toEqual([away.id]);
  });

  it("bytes are counted like changes, also after a restart, and nothing is accepted when the capacity is used up", async () => {
    const room = { MAX_PARKED_BYTES: 20_000 };
    const project = await narrowed(room);
    const run = newId();
    await ingest(project, post(run));
    const wide = { outputs: bytes(`{"a":"${"x".repeat(9000)}"}`) };
    for (let n = 0; n < 2; n += 1) expect((await ingest(project, patch(newId(), wide))).accepted).toBe(1);
    await evictDurableObject(stub(project));
    await narrowed(room, project);
    expect(await ingest(project, patch(newId()))).toEqual(full);
    expect((await ingest(project, patch(run, ended))).accepted).toBe(1);
    const crowded = await narrowed({ MAX_PARKED_BYTES: 9000 });
    await ingest(crowded, post(run));
    await ingest(crowded, patch(newId(), wide));
    expect(await ingest(crowded, patch(run, ended))).toEqual(full);
  });
});

it("a shard that is unavailable loses no change, and no later lookup overtakes a message in flight", async () => {
  const project = newProject();
  const id = newId();
  let inFlight = 0;
  let most = 0;
  const home = {
    has: async (runIds: readonly string[]) => runIds,
    async ingest() {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 100));
      inFlight -= 1;
      return ok({ accepted: 1, tooLarge: [], registrationToken: null });
    },
  };
  let unanswered = 0;
  const unreachable = {
    async has() {
      unanswered += 1;
      throw new Error("overloaded");
    },
  };
  const looks = await runInDurableObject(stub(project), (instance) => {
    // `env` is protected in the types alone.
    const inside = instance as unknown as { env: Env };
    const getByName = (name: string) => (name.includes("unreachable") ? unreachable : home);
    inside.env = { ...inside.env, TRACE_SHARD: { getByName } as unknown as Env["TRACE_SHARD"] };
    for (const projectId of ["unreachable", "home"]) instance.registerDay({ projectId, day: "2030-01-02", shards: 1 });
    return Promise.allSettled([instance.route([patch(id, { name: "a" })]), instance.route([patch(id, { name: "b" })])]);
  });
  expect(looks.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  expect(unanswered).toBeGreaterThan(0);
  expect(most).toBe(1);
});

it("feedback is exported with its run, sent before or after it", async () => {
  const project = newProject();
  const id = newId();
  await ingest(project, feedback(id, { key: "k", score: 1 }));
  await ingest(project, post(id));
  await ingest(project, feedback(id, { key: "k", score: 0 }));
  const [row] = await exported(project);
  expect(JSON.parse(new TextDecoder().decode(row?.feedback_stats ?? new Uint8Array()))).toMatchObject({
    k: { n: 2, avg: 0.5 },
  });
});

describe("a change that names another project than that of its run", () => {
  it("is delivered to its run, and does not delay other changes of that run", async () => {
    const project = newProject();
    const other = { tenantId: project.tenantId, project: { ...project.project, id: crypto.randomUUID() } };
    const [early, late] = [newId(), newId()];
    await ingest(other, post(newId()));
    await ingest(other, { ...feedback(early, { key: "k", score: 1 }), project: { name: "other" } });
    await ingest(project, patch(early, ended));
    await ingest(project, post(early), post(late));
    await ingest(other, { ...patch(late, ended), project: { name: "other" } });
    const rows = await exported(project);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      [early, "success"],
      [late, "success"],
    ]);
    expect(rows[0]?.feedback_stats).not.toBeNull();
    expect(await exported(other)).toHaveLength(1);
  });

  it("goes to the named project when the run exists in both", async () => {
    const project = newProject();
    const other = { tenantId: project.tenantId, project: { ...project.project, id: crypto.randomUUID() } };
    const id = newId();
    await ingest(project, post(id));
    await ingest(other, post(id));
    await ingest(other, { ...patch(id, ended), project: { name: "other" } });
    expect(await exported(project)).toMatchObject([{ status: "pending" }]);
    expect(await exported(other)).toMatchObject([{ status: "success" }]);
  });
});

describe("the registered days of a project", () => {
  const query = (project: TestProject, changes: { readonly after?: number; readonly limit?: number } = {}) => ({
    projectId: project.project.id,
    scheduleId: null,
    after: 0,
    firstDay: "2030-01-02",
    lastDay: "2030-01-05",
    limit: 10,
    ...changes,
  });
  const note = async (project: TestProject, ...days: string[]) => {
    for (const day of days) await unroutedOf(project).registerDay({ projectId: project.project.id, day, shards: 1 });
  };

  it("are returned in the order of their last registration, each once, up to the limit", async () => {
    const project = newProject();
    await note(project, "2030-01-01", "2030-01-02", "2030-01-05", "2030-01-02", "2030-01-06");
    const first = await unroutedOf(project).registeredDays(query(project, { limit: 1 }));
    expect(first.days).toEqual([{ day: "2030-01-05", empty: [] }]);
    const second = await unroutedOf(project).registeredDays(query(project, { after: first.upTo }));
    expect(second.days).toEqual([{ day: "2030-01-02", empty: [] }]);
    expect(await unroutedOf(project).registeredDays(query(project, { after: second.upTo }))).toEqual({
      ...second,
      days: [],
    });
    await note(project, "2030-01-03");
    expect((await unroutedOf(project).registeredDays(query(project, { after: second.upTo }))).days).toEqual([
      { day: "2030-01-03", empty: [] },
    ]);
  });
});

describe("even when many days of many projects are newer", () => {
  /** Fifty other projects with runs on each of the twenty days after the run's own. */
  const noteNewerDays = async (project: TestProject) => {
    const days = Array.from({ length: 20 }, (_, n) => dayOf(startOfDay(DAY) + (n + 1) * DAY_MS));
    await runInDurableObject(stub(project), (instance) =>
      Promise.all(
        Array.from({ length: 50 }, () => crypto.randomUUID()).flatMap((projectId) =>
          days.map((day) => instance.registerDay({ projectId, day, shards: 1 })),
        ),
      ),
    );
  };

  it("feedback with the start time of its run finds it on the first lookup", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id));
    await noteNewerDays(project);
    const sent = { ...feedback(id, { key: "liked", score: 1 }), start_time: NOON };
    expect(await unroutedOf(project).route([sent])).toEqual(ok({ delivered: 1, kept: 0, tooLarge: [] }));
  });

  it("a patch that names the project of its run finds it on the first lookup", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id));
    await noteNewerDays(project);
    const sent = patch(id, { ...ended, project: { id: project.project.id } });
    expect(await unroutedOf(project).route([sent])).toEqual(ok({ delivered: 1, kept: 0, tooLarge: [] }));
  });

  it("every registered day is searched for a run without a known day", async () => {
    const project = newProject();
    await noteNewerDays(project);
    const queried = await runInDurableObject(stub(project), (_, { storage }) => {
      const search = new UnroutedSearch(new UnroutedStore(storage.sql), () => env, project.tenantId, {
        registerDay: () => {},
        delivered: () => {},
      });
      const lost = [{ id: newId(), projectId: null, candidateDays: [], tries: 0 }];
      const turns = Array.from({ length: search.turnsFor(100) }, (_, turn) => search.daysFor(lost, 100, turn));
      return turns.map((days) => days.map(({ projectId, day }) => `${projectId}/${day}`));
    });
    expect(queried.map((days) => days.length)).toEqual(Array.from({ length: 20 }, () => 50));
    expect(new Set(queried.flat()).size).toBe(1000);
  });
});
