import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import {
  bytes,
  exported,
  feedback,
  ingest,
  keysOf,
  NOON,
  newId,
  newProject,
  patch,
  post,
  ringMuchLater,
  rowsIn,
  shard,
  shardStub,
  snapshot,
  type TestProject,
  text,
  WHOLE_DAY,
  withEnv,
} from "../traces.ts";

const HOUR_MS = 3_600_000;

/** A project with `count` segments of one run each. */
async function scattered(count: number): Promise<{ readonly project: TestProject; readonly ids: readonly string[] }> {
  const project = newProject();
  const ids = Array.from({ length: count }, newId);
  for (const [at, id] of ids.entries()) {
    await ingest(project, post(id, { start_time: NOON - at, inputs: bytes(`{"n": ${at}}`) }));
    await snapshot(project);
  }
  return { project, ids };
}

const segmentsOf = async (project: TestProject): Promise<number> => (await snapshot(project)).segments.length;

describe("small segments", () => {
  it("are merged by the alarm into one, with the same rows in the same order", async () => {
    const { project, ids } = await scattered(5);
    const before = await exported(project);
    expect(await segmentsOf(project)).toBe(5);
    await ringMuchLater(project);
    const after = await snapshot(project);
    expect(after.segments).toHaveLength(1);
    expect(await rowsIn(after)).toEqual(before);
    expect((await rowsIn(after)).map(({ id }) => id)).toEqual([...ids].reverse());
    expect(after.segments[0]?.footer).not.toBeNull();
    await evictDurableObject(shardStub(project));
    expect(await snapshot(project)).toEqual(after);
  });

  it("are not merged while they are young, or when merging would not pay", async () => {
    const { project } = await scattered(3);
    await runInDurableObject(shardStub(project), (instance) => instance.alarm());
    expect(await segmentsOf(project)).toBe(3);
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 1 }));
    await ringMuchLater(project);
    expect(await segmentsOf(project)).toBe(3);
  });

  it("are merged without a request: the alarm is set for the time of the merge", async () => {
    const { project } = await scattered(3);
    const [alarmAt, youngestAt] = await runInDurableObject(shardStub(project), async (_, { storage }) => [
      await storage.getAlarm(),
      storage.sql.exec<{ at: number }>("SELECT max(at) AS at FROM segment").one().at,
    ]);
    expect(alarmAt).toBe((youngestAt ?? 0) + 60_000);
  });

  it("are merged one step per alarm", async () => {
    const project = newProject();
    const inputs = bytes(`{"a":"${"x".repeat(4500)}"}`);
    for (let n = 0; n < 4; n += 1) {
      await ingest(project, post(newId(), { inputs }));
      await snapshot(project);
    }
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 10_000 }));
    const liveAfterOneRing = await runInDurableObject(shardStub(project), async (instance, { storage }) => {
      storage.sql.exec("UPDATE segment SET at = at - ?", 2 * HOUR_MS);
      await instance.alarm();
      return storage.sql.exec("SELECT 1 FROM segment WHERE state = 'live'").toArray().length;
    });
    expect(liveAfterOneRing).toBe(3);
    await ringMuchLater(project);
    expect(await segmentsOf(project)).toBe(2);
  });

  it("are merged together with late changes of their runs", async () => {
    const { project, ids } = await scattered(3);
    const [first = "", second = ""] = ids;
    await ingest(project, patch(first, { name: "patched" }), feedback(second, { key: "liked", score: 1 }));
    await ringMuchLater(project);
    await runInDurableObject(shardStub(project), (_, { storage }) => {
      expect(storage.sql.exec("SELECT * FROM change").toArray()).toEqual([]);
      expect(storage.sql.exec("SELECT * FROM segment WHERE state = 'live'").toArray()).toHaveLength(1);
    });
    const rows = new Map((await exported(project)).map((row) => [row.id, row]));
    expect(rows.get(first)?.name).toBe("patched");
    expect(JSON.parse(text(rows.get(second)?.feedback_stats))).toMatchObject({ liked: { n: 1, avg: 1 } });
  });
});

describe("a snapshot pins what it reads", () => {
  it("for as long as an export may live, and no longer", async () => {
    const { project } = await scattered(3);
    const pinned = await snapshot(project);
    const rows = await rowsIn(pinned);
    await ringMuchLater(project);
    expect(await rowsIn(pinned)).toEqual(rows);
    expect(await keysOf(project)).toHaveLength(4);
    for (const [hours, kept] of [
      [72, 4],
      [2, 1],
    ] as const) {
      await runInDurableObject(shardStub(project), async (instance, { storage }) => {
        storage.sql.exec("UPDATE segment SET at = at - ? WHERE state = 'retired'", hours * HOUR_MS);
        await instance.alarm();
      });
      expect(await keysOf(project)).toHaveLength(kept);
    }
    expect(await rowsIn(await snapshot(project))).toEqual(rows);
  });

  it("of a schedule too: its windows keep their rows and late rows stay late", async () => {
    const { project, ids } = await scattered(3);
    const claim = { scheduleId: crypto.randomUUID(), exportId: crypto.randomUUID(), kind: "main" } as const;
    await shard(project).snapshot(WHOLE_DAY, 0, claim);
    const late = [newId(), newId(), newId()];
    for (const id of late) {
      await ingest(project, post(id));
      await snapshot(project);
    }
    await ringMuchLater(project);
    await ringMuchLater(project);
    const idsOf = async (asked: Parameters<ReturnType<typeof shard>["snapshot"]>[2]) =>
      (await rowsIn(await shard(project).snapshot(WHOLE_DAY, 0, asked))).map(({ id }) => id).sort();
    expect(await segmentsOf(project)).toBe(2);
    expect(await idsOf(claim)).toEqual(ids);
    expect(await idsOf({ ...claim, exportId: crypto.randomUUID(), kind: "late" })).toEqual(late);
  });
});

describe("an interrupted merge", () => {
  it("that dies between the write and its commit loses nothing and duplicates nothing", async () => {
    const { project, ids } = await scattered(3);
    const before = await exported(project);
    await ingest(project, patch(ids[0] ?? "", { name: "patched" }));
    await withEnv(project, ({ SEGMENTS }, state) => ({
      SEGMENTS: {
        get: (key: string) => SEGMENTS.get(key),
        put: async (key: string, value: Uint8Array) => {
          await SEGMENTS.put(key, value);
          state.abort("died");
        },
        // A merge calls no other method before its commit.
      } as unknown as R2Bucket,
    }));
    await expect(ringMuchLater(project)).rejects.toThrow("died");
    const expected = before.map((row) => (row.id === ids[0] ? { ...row, name: "patched" } : row));
    const named = (rows: typeof before) => rows.map(({ id, name }) => [id, name]);
    expect(named(await exported(project))).toEqual(named(expected));
    await ringMuchLater(project);
    expect(await segmentsOf(project)).toBe(1);
    expect(named(await exported(project))).toEqual(named(expected));
  });

  it("keeps patches and new runs that arrive while it writes", async () => {
    const { project, ids } = await scattered(3);
    const fresh = newId();
    await withEnv(project, ({ SEGMENTS }) => ({
      SEGMENTS: {
        get: (key: string) => SEGMENTS.get(key),
        put: async (key: string, value: Uint8Array) => {
          await shard(project).ingest([patch(ids[1] ?? "", { name: "meanwhile" }), post(fresh)]);
          return SEGMENTS.put(key, value);
        },
        delete: (keys: string[]) => SEGMENTS.delete(keys),
      } as unknown as R2Bucket,
    }));
    await ringMuchLater(project);
    await evictDurableObject(shardStub(project));
    const rows = await exported(project);
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids, fresh].sort());
    expect(rows.find(({ id }) => id === ids[1])?.name).toBe("meanwhile");
  });

  it("that a bucket fails is retried later", async () => {
    const { project } = await scattered(3);
    const broken = { get: () => Promise.reject(new Error("the bucket is away")) } as unknown as R2Bucket;
    await withEnv(project, () => ({ SEGMENTS: broken }));
    await ringMuchLater(project);
    await evictDurableObject(shardStub(project));
    expect(await segmentsOf(project)).toBe(3);
    await ringMuchLater(project);
    expect(await segmentsOf(project)).toBe(1);
  });
});
