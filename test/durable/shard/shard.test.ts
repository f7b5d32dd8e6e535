import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { RunChange } from "../../../src/trace/run/change.ts";
import {
  bytes,
  env,
  exported,
  feedback,
  ingest,
  keysOf,
  NOON,
  newId,
  newProject,
  patch,
  post,
  rowsIn,
  shard,
  shardStub,
  snapshot,
  text,
  WHOLE_DAY,
  withEnv,
} from "../traces.ts";

const HOUR_MS = 3_600_000;

/** How long a replaced segment is kept: the 72 h of an export and an hour. */
const RETIRED_MS = 73 * HOUR_MS;

const patched: Partial<RunChange> = { end_time: NOON + 5, name: "patched", outputs: bytes('{"a": 1}') };

describe("ingest", () => {
  it("merges a post and a patch in either order", async () => {
    for (const reversed of [false, true]) {
      const project = newProject();
      const id = newId();
      const changes = [
        post(id, { inputs: bytes("{}") }),
        patch(id, { ...patched, project: { name: "demo" }, start_time: NOON }),
      ];
      for (const change of reversed ? changes.reverse() : changes) await ingest(project, change);
      const rows = await exported(project);
      expect(rows).toMatchObject([{ id, name: "patched", status: "success", start_time: NOON }]);
      expect(text(rows[0]?.inputs)).toBe("{}");
      expect(text(rows[0]?.outputs)).toBe('{"a": 1}');
    }
  });

  it("applies the same change only once", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id));
    await ingest(project, post(id), post(id));
    expect(await exported(project)).toHaveLength(1);
    await ingest(project, post(id));
    expect(await exported(project)).toHaveLength(1);
  });

  it("stores a value of several megabytes unchanged", async () => {
    const project = newProject();
    const id = newId();
    const noise = Array.from({ length: 50 }, () =>
      String.fromCharCode(...crypto.getRandomValues(new Uint16Array(20_000))),
    );
    const large = JSON.stringify({ noise });
    expect(bytes(large).length).toBeGreaterThan(5_000_000 * 0.4);
    await ingest(project, post(id, { inputs: bytes(large), outputs: bytes("{}") }));
    await evictDurableObject(shardStub(project));
    const [row] = await exported(project);
    expect(text(row?.inputs) === large).toBe(true);
    expect(text(row?.outputs)).toBe("{}");
  });

  it("spreads the runs of a project over its shards, and a snapshot holds all of a burst", async () => {
    const project = newProject(3);
    const ids = Array.from({ length: 300 }, newId);
    await Promise.all(
      [0, 100, 200].map((from) => ingest(project, ...ids.slice(from, from + 100).map((id) => post(id)))),
    );
    const snapshotted = await snapshot(project);
    expect(snapshotted.segments).toHaveLength(3);
    expect((await rowsIn(snapshotted)).map(({ id }) => id).sort()).toEqual(ids);
  });

  it("keeps a run in the day in which it started", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id));
    await shard(project).ingest([patch(id, { start_time: NOON + 86_400_000_000, name: "moved" })]);
    expect(await exported(project)).toMatchObject([{ start_time: NOON, name: "moved" }]);
  });

  it.each(["20300103T120000000000Z", ""])(
    "keeps a run in its day when a patch has the dotted order %j",
    async (order) => {
      for (const isSealedBetween of [false, true]) {
        const project = newProject();
        const id = newId();
        await ingest(project, post(id, { start_time: null, dotted_order: `20300102T120000000000Z${id}` }));
        if (isSealedBetween) await snapshot(project);
        await ingest(project, patch(id, { dotted_order: order, end_time: NOON + 5 }));
        expect(await exported(project)).toMatchObject([{ start_time: NOON, dotted_order: order, status: "success" }]);
      }
    },
  );
});

describe("a snapshot", () => {
  it("of a day without runs is empty and leaves nothing in storage", async () => {
    const project = newProject();
    expect(await snapshot(project)).toEqual({ segments: [] });
    await runInDurableObject(shardStub(project), (_, { storage }) => {
      expect(
        storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'change'").toArray(),
      ).toEqual([]);
    });
  });

  it("orders rows by start time and id, and describes its segments", async () => {
    const project = newProject();
    const [a, b, c] = [newId(), newId(), newId()];
    await ingest(project, post(c, { start_time: NOON + 1 }), post(b), post(a));
    const snapshotted = await snapshot(project);
    expect((await rowsIn(snapshotted)).map(({ id }) => id)).toEqual([a, b, c]);
    expect(snapshotted.segments).toMatchObject([{ rows: 3, minStart: NOON, maxStart: NOON + 1 }]);
  });

  it("has only the segments that overlap its window, whose end is exclusive", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    const at = NOON;
    for (const [start, end, count] of [
      [at, at + 1, 1],
      [at - 1, at, 0],
      [at + 1, at + 2, 0],
      [WHOLE_DAY.start, WHOLE_DAY.end, 1],
    ] as const)
      expect((await snapshot(project, { start, end })).segments).toHaveLength(count);
  });

  it("carries the footers of its first segments, up to the bytes asked for", async () => {
    const project = newProject();
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 1 }));
    const inputs = bytes("[1]");
    await ingest(project, post(newId(), { inputs }), post(newId(), { inputs }));
    const { segments } = await snapshot(project);
    const ends = segments.map(async ({ key, footer }) => {
      const object = await env.SEGMENTS.get(key, { range: { suffix: footer?.length ?? 0 } });
      return object === null ? null : new Uint8Array(await object.arrayBuffer());
    });
    expect(await Promise.all(ends)).toEqual(segments.map(({ footer }) => footer));
    const carried = async (room: number) =>
      (await shard(project).snapshot(WHOLE_DAY, room, null)).segments.map(({ footer }) => footer !== null);
    expect(await carried(1)).toEqual([true, false]);
    expect(await carried(1_000_000)).toEqual([true, true]);
  });

  it("is the same again when nothing has changed, also after an eviction", async () => {
    const project = newProject();
    await ingest(project, post(newId()), post(newId()));
    const first = await snapshot(project);
    expect(await snapshot(project)).toEqual(first);
    await evictDurableObject(shardStub(project));
    expect(await snapshot(project)).toEqual(first);
  });

  it("shows a late patch, a late post and late feedback once each", async () => {
    const project = newProject();
    const [a, b, c] = [newId(), newId(), newId()];
    const home = { project: { name: "demo" }, start_time: NOON } as const;
    await ingest(project, post(a), patch(b, { ...home, name: "patched" }), post(c));
    const before = await snapshot(project);
    await ingest(project, patch(a, patched));
    await ingest(project, post(b, { inputs: bytes("{}"), name: "posted" }));
    await ingest(project, feedback(c, { key: "score", score: 1 }));
    await evictDurableObject(shardStub(project));
    const after = await snapshot(project);
    const rows = await rowsIn(after);
    expect(rows.map(({ id, name }) => [id, name])).toEqual([
      [a, "patched"],
      [b, "patched"],
      [c, "posted"],
    ]);
    expect(text(rows[1]?.inputs)).toBe("{}");
    expect(JSON.parse(text(rows[2]?.feedback_stats))).toMatchObject({ score: { n: 1, avg: 1 } });
    expect(after.segments[0]?.key).not.toBe(before.segments[0]?.key);
    expect((await rowsIn(before)).map(({ name }) => name)).toEqual(["posted", "patched", "posted"]);
  });

  it("closes segments by their raw size", async () => {
    const project = newProject();
    const ids = Array.from({ length: 10 }, newId);
    await ingest(project, ...ids.map((id) => post(id, { inputs: bytes(`{"a":"${"x".repeat(1000)}"}`) })));
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 3500 }));
    const snapshotted = await snapshot(project);
    expect(snapshotted.segments.map(({ rows }) => rows)).toEqual([3, 3, 3, 1]);
    expect((await rowsIn(snapshotted)).map(({ id }) => id)).toEqual(ids);
    await ingest(project, patch(ids[1] ?? "", { outputs: bytes(`{"a":"${"y".repeat(1500)}"}`) }));
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 3500 }));
    const folded = await snapshot(project);
    expect(folded.segments.map(({ rows }) => rows).sort()).toEqual([1, 1, 1, 1, 3, 3]);
    expect(new Set((await rowsIn(folded)).map(({ id }) => id)).size).toBe(10);
  });

  it("closes segments by the size of their tags and names too", async () => {
    const project = newProject();
    const ids = Array.from({ length: 4 }, newId);
    await ingest(project, ...ids.map((id) => post(id, { name: "n".repeat(500), tags: ["t".repeat(500)] })));
    await withEnv(project, () => ({ SEGMENT_RAW_BYTES: 3500 }));
    expect((await snapshot(project)).segments.map(({ rows }) => rows)).toEqual([2, 2]);
  });
});

describe("the alarm", () => {
  it("leaves young runs unsealed, and seals old ones", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    await withEnv(project, () => ({ SEAL_AGE_MS: 3_600_000 }));
    expect(await runDurableObjectAlarm(shardStub(project))).toBe(true);
    expect(await keysOf(project)).toEqual([]);
    await withEnv(project, () => ({ SEAL_AGE_MS: 0 }));
    expect(await runDurableObjectAlarm(shardStub(project))).toBe(true);
    expect(await keysOf(project)).toHaveLength(1);
    expect(await exported(project)).toHaveLength(1);
    expect(await keysOf(project)).toHaveLength(1);
  });

  it("seals ended runs first above the seal size, and all runs far above it", async () => {
    const project = newProject();
    const inputs = bytes(`{"a":"${"x".repeat(2000)}"}`);
    const [open, ended] = [newId(), newId()];
    const hotAfterAlarm = () =>
      runInDurableObject(shardStub(project), async (instance, { storage }) => {
        await instance.alarm();
        return storage.sql.exec("SELECT run FROM change ORDER BY seq").toArray();
      });
    await ingest(project, post(newId()));
    await withEnv(project, () => ({ SEAL_BYTES: 4000 }));
    await snapshot(project);
    await ingest(project, post(open, { inputs }), post(ended, { inputs, end_time: NOON }));
    expect(await hotAfterAlarm()).toEqual([{ run: open }]);
    await ingest(project, ...Array.from({ length: 8 }, () => post(newId(), { inputs })));
    expect(await hotAfterAlarm()).toEqual([]);
  });

  it("may run twice", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    await withEnv(project, () => ({ SEAL_AGE_MS: 0 }));
    await runInDurableObject(shardStub(project), async (instance) => {
      await Promise.all([instance.alarm(), instance.alarm(), instance.snapshot(WHOLE_DAY, 0, null)]);
    });
    expect(await exported(project)).toHaveLength(1);
    expect(await keysOf(project)).toHaveLength(1);
  });

  it("removes a replaced segment only when no export can be reading it any more", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id));
    await snapshot(project);
    await ingest(project, patch(id, patched));
    await snapshot(project);
    await runDurableObjectAlarm(shardStub(project));
    expect(await keysOf(project)).toHaveLength(2);
    await runInDurableObject(shardStub(project), async (instance, { storage }) => {
      storage.sql.exec("UPDATE segment SET at = at - ? WHERE state = 'retired'", RETIRED_MS + 1000);
      await instance.alarm();
    });
    expect(await keysOf(project)).toHaveLength(1);
    expect(await exported(project)).toMatchObject([{ name: "patched" }]);
  });
});

it("a replaced segment outlives the exports of an installation with a longer time limit", async () => {
  const project = newProject();
  const id = newId();
  await ingest(project, post(id));
  await snapshot(project);
  await ingest(project, patch(id, patched));
  await snapshot(project);
  await withEnv(project, () => ({ EXPORT_TIMEOUT_MS: 100 * HOUR_MS }));
  for (const [hours, kept] of [
    [100, 2],
    [2, 1],
  ] as const) {
    await runInDurableObject(shardStub(project), async (instance, { storage }) => {
      storage.sql.exec("UPDATE segment SET at = at - ? WHERE state = 'retired'", hours * HOUR_MS);
      await instance.alarm();
    });
    expect(await keysOf(project)).toHaveLength(kept);
  }
});

describe("a crash between the write and its commit", () => {
  const dying = (project: ReturnType<typeof newProject>) =>
    withEnv(project, ({ SEGMENTS }, state) => ({
      SEGMENTS: {
        get: (key: string) => SEGMENTS.get(key),
        put: async (key: string, value: Uint8Array) => {
          await SEGMENTS.put(key, value);
          state.abort("died");
        },
        // The shard calls no other method before its write.
      } as unknown as R2Bucket,
    }));

  it("loses nothing and duplicates nothing", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, post(id), post(newId()));
    await dying(project);
    await expect(snapshot(project)).rejects.toThrow("died");
    expect(await exported(project)).toHaveLength(2);

    await ingest(project, patch(id, patched));
    await dying(project);
    await expect(snapshot(project)).rejects.toThrow("died");
    expect((await exported(project)).map(({ name }) => name).sort()).toEqual(["patched", "posted"]);
  });

  it("leaves objects that are removed later", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    await dying(project);
    await expect(snapshot(project)).rejects.toThrow("died");
    await snapshot(project);
    expect(await keysOf(project)).toHaveLength(2);
    await runInDurableObject(shardStub(project), async (instance, { storage }) => {
      storage.sql.exec("UPDATE segment SET at = at - ? WHERE state = 'intended'", RETIRED_MS);
      await instance.alarm();
    });
    expect(await keysOf(project)).toEqual((await snapshot(project)).segments.map(({ key }) => key));
  });
});
