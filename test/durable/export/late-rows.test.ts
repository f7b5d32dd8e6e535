import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../../durable/protocol/snapshot.ts";
import type { TraceShardActor } from "../../../durable/shard/shard.ts";
import { windowOf } from "../../../src/domain/schedule/windows.ts";
import { type Window, windowOfDay } from "../../../src/domain/shared/time.ts";
import {
  DAY,
  env,
  ingest,
  newId,
  newProject,
  patch,
  post,
  rowsIn,
  selectedRows,
  shard,
  shardStub,
  type TestProject,
  takenOf,
  unroutedOf,
  WHOLE_DAY,
} from "../traces.ts";

const HOUR_MICROS = 3_600_000_000;
const START = windowOfDay(DAY).start;

const at = (hour: number): { readonly start_time: number } => ({ start_time: START + hour * HOUR_MICROS });
const hour = (from: number): Window => windowOf(START, 1, from);

describe("a shard that exports of a schedule read", () => {
  const main = (exportId: string, scheduleId = "s"): Claim => ({ scheduleId, exportId, kind: "main" });
  const late = (exportId: string, scheduleId = "s"): Claim => ({ scheduleId, exportId, kind: "late" });
  const until = (hours: number): Window => ({ start: START, end: START + hours * HOUR_MICROS });

  const claimed = async (project: TestProject, claim: Claim, window: Window): Promise<string[]> => {
    const rows = await selectedRows(await shard(project).snapshot(window, 0, claim));
    return rows.map(({ id }) => id).sort();
  };

  it("gives a row that arrived after its window was exported to the next export, once", async () => {
    const project = newProject();
    const [early, lateOne, next] = [newId(), newId(), newId()];
    await ingest(project, post(early, at(0)));
    expect(await claimed(project, main("e0"), hour(0))).toEqual([early]);
    await ingest(project, post(lateOne, at(0.5)), post(next, at(1)));
    expect(await shard(project).hasLate("s", hour(0).end, [])).toBe(true);
    expect(await claimed(project, main("e1"), hour(1))).toEqual([next]);
    expect(await claimed(project, late("e1"), until(1))).toEqual([lateOne]);
    expect(await shard(project).hasLate("s", hour(1).end, [])).toBe(false);
    expect(await claimed(project, late("e2"), until(2))).toEqual([]);
  });

  it("returns the same rows for a repeated claim, also after an eviction and after new rows and patches", async () => {
    const project = newProject();
    const [a, b] = [newId(), newId()];
    await ingest(project, post(a, at(0)));
    await claimed(project, main("e0"), hour(0));
    await ingest(project, post(b, at(0)));
    await claimed(project, late("e1"), until(1));
    await ingest(project, post(newId(), at(0)), patch(a, { name: "patched" }), patch(b, { name: "patched" }));
    for (let again = 0; again < 2; again += 1) {
      expect(await claimed(project, main("e0"), hour(0))).toEqual([a]);
      expect(await claimed(project, late("e1"), until(1))).toEqual([b]);
      await evictDurableObject(shardStub(project));
    }
  });

  it("counts rows as late that arrived after an export of the schedule read the empty shard", async () => {
    const project = newProject();
    const id = newId();
    expect(await claimed(project, main("e0"), hour(0))).toEqual([]);
    await evictDurableObject(shardStub(project));
    await ingest(project, post(id, at(0)));
    expect(await claimed(project, late("e1"), until(1))).toEqual([id]);
  });

  it("does not count a patch of an exported run as a late row; a post after its patch is one row", async () => {
    const project = newProject();
    const [exported, patchedFirst] = [newId(), newId()];
    await ingest(project, post(exported, at(0)));
    await claimed(project, main("e0"), hour(0));
    await ingest(project, patch(exported, { name: "patched" }));
    expect(await shard(project).hasLate("s", hour(0).end, [])).toBe(false);
    expect(await claimed(project, late("e1"), until(1))).toEqual([]);
    await ingest(project, patch(patchedFirst, { ...at(0), project: { name: "demo" } }));
    expect(await claimed(project, late("e2"), until(1))).toEqual([patchedFirst]);
    await ingest(project, post(patchedFirst, at(0)));
    expect(await claimed(project, late("e3"), until(1))).toEqual([]);
  });

  it("keeps the start time of exported runs: none moves to another window", async () => {
    const project = newProject();
    const [forth, back] = [newId(), newId()];
    await ingest(project, post(forth, at(0)), post(back, at(1)));
    expect(await claimed(project, main("e0"), hour(0))).toEqual([forth]);
    await shard(project).ingest([patch(forth, { ...at(1), name: "moved" }), patch(back, { ...at(0), name: "moved" })]);
    expect(await claimed(project, main("e1"), hour(1))).toEqual([back]);
    expect(await claimed(project, late("e1"), until(1))).toEqual([]);
    expect((await rowsIn(await shard(project).snapshot(WHOLE_DAY, 0, null))).map(({ name }) => name)).toEqual([
      "moved",
      "moved",
    ]);
  });

  it("gives released rows to the next export, and none to the export that released them", async () => {
    const project = newProject();
    const id = newId();
    await claimed(project, main("e0"), hour(0));
    await ingest(project, post(id, at(0)));
    expect(await claimed(project, late("e1"), until(1))).toEqual([id]);
    await shard(project).release("e1");
    await shard(project).release("e1");
    expect(await shard(project).hasLate("s", hour(0).end, [])).toBe(true);
    expect(await claimed(project, late("e1"), until(1))).toEqual([]);
    expect(await claimed(project, late("e2"), until(2))).toEqual([id]);
    await shard(project).release("e3");
    expect(await claimed(project, late("e3"), until(2))).toEqual([]);
  });

  it("keeps schedules and one-off exports apart", async () => {
    const project = newProject();
    const [a, b] = [newId(), newId()];
    await ingest(project, post(a, at(0)));
    await claimed(project, main("s0"), hour(0));
    await ingest(project, post(b, at(0)));
    expect(await shard(project).hasLate("t", hour(0).end, [])).toBe(false);
    expect(await claimed(project, main("t0", "t"), hour(0))).toEqual([a, b].sort());
    expect(await claimed(project, late("t1", "t"), until(1))).toEqual([]);
    expect(await claimed(project, late("s1"), until(1))).toEqual([b]);
    expect(await rowsIn(await shard(project).snapshot(WHOLE_DAY, 0, null))).toHaveLength(2);
  });

  it("finds no late rows in windows that were never exported, nor in later ones", async () => {
    const project = newProject();
    await ingest(project, post(newId(), at(0)));
    await claimed(project, main("e1"), hour(1));
    await ingest(project, post(newId(), at(0.5)), post(newId(), at(1.5)));
    expect(await shard(project).hasLate("s", hour(0).end, [])).toBe(false);
    expect(await claimed(project, late("e2"), until(1))).toEqual([]);
  });

  it("registers its day again after each search for late rows; a confirmation from before the search does not count", async () => {
    const project = newProject();
    const lastRegistration = async () => {
      const query = {
        projectId: project.project.id,
        scheduleId: null,
        after: 0,
        firstDay: DAY,
        lastDay: DAY,
        limit: 1,
      };
      return (await unroutedOf(project).registeredDays(query)).upTo;
    };
    await ingest(project, post(newId(), at(0)), post(newId(), at(0)));
    expect(await lastRegistration()).toBe(1);
    await ingest(project, post(newId(), at(0)));
    expect(await lastRegistration()).toBe(1);
    await claimed(project, main("e0"), hour(0));
    await ingest(project, post(newId(), at(0)));
    expect(await lastRegistration()).toBe(2);
    await shard(project).hasLate("s", hour(0).end, []);
    const { registrationToken } = takenOf(await shard(project).ingest([post(newId(), at(0))]));
    if (registrationToken === null) throw new Error("the day is registered");
    await shard(project).hasLate("s", hour(0).end, []);
    await shard(project).confirmDayRegistration(registrationToken);
    expect(takenOf(await shard(project).ingest([post(newId(), at(0))])).registrationToken).not.toBeNull();
  });

  it("registers its day again for a row that arrives while a claim seals the rest: that row is late already", async () => {
    const project = newProject();
    await ingest(project, post(newId(), at(0)));
    const [note, rows] = await runInDurableObject(shardStub(project), async (actor: TraceShardActor) => {
      const { SEGMENTS } = env;
      let meanwhile: string | null = null;
      const put = async (key: string, value: Uint8Array) => {
        meanwhile ??= takenOf(await actor.ingest([post(newId(), at(0))])).registrationToken;
        return SEGMENTS.put(key, value);
      };
      Reflect.set(actor, "env", { ...env, SEGMENTS: { put } });
      const { segments } = await actor.snapshot(hour(0), 0, main("e0"));
      return [meanwhile, segments.reduce((sum, segment) => sum + segment.rows, 0)] as const;
    });
    expect(rows).toBe(1);
    expect(note).not.toBeNull();
  });
});
