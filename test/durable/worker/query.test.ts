import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { RunQuestion } from "../../../durable/protocol/query.ts";
import { segmentsWithChanges } from "../../../durable/shard/query/segments-with-changes.ts";
import { ShardStore } from "../../../durable/shard/store/store.ts";
import { queryRuns } from "../../../durable/worker/query/query.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import { parseFilter } from "../../../src/filter/parse/index.ts";
import type { Position } from "../../../src/trace/query/order.ts";
import {
  bytes,
  env,
  ingest,
  keysOf,
  NOON,
  newId,
  newProject,
  patch,
  post,
  shard,
  shardStub,
  snapshot,
  type TestProject,
  withEnv,
} from "../traces.ts";

/** Longest value that the platform accepts in SQL (Cloudflare: Durable Objects limits); the local one accepts more. */
const MAX_VALUE_BYTES = 2_000_000;

const EVERY: Filter = { kind: "and", operands: [] };

const filterOf = (text: string): Filter => {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
};

const ALL: RunQuestion = {
  filter: EVERY,
  window: { start: 0, end: Number.MAX_SAFE_INTEGER },
  ids: null,
  traceIds: null,
  order: "desc",
  after: null,
  limit: 100,
};

const query = async ({ tenantId, project }: TestProject, change: Partial<RunQuestion> = {}) => {
  const projects = new Map([[project.id, project]]);
  // A time at which no run can start is not a valid end of a window.
  const window = { start: 0, end: NOON * 2 };
  const asked = {
    ...ALL,
    window,
    ...change,
    projects,
    traceFilter: null,
    treeFilter: null,
    columns: ["name"] as const,
  };
  const page = await queryRuns(env, tenantId, asked);
  if (!page.ok) throw new Error(page.failure.reason);
  return page.value.runs.map(({ row }) => row.name);
};

/** A bucket that records which objects were read. */
const watched = (bucket: R2Bucket, seen: string[], before: (key: string) => Promise<void> = async () => {}): R2Bucket =>
  ({
    get: async (key: string, options?: R2GetOptions) => {
      seen.push(key);
      await before(key);
      return bucket.get(key, options);
    },
    put: (key: string, value: Uint8Array) => bucket.put(key, value),
    // A shard calls no other method here.
  }) as unknown as R2Bucket;

/** Some 4 MB of JSON that hardly compress. */
function noise(): Uint8Array {
  const random = new Uint8Array(48 * 65_536);
  for (let at = 0; at < random.length; at += 65_536) crypto.getRandomValues(random.subarray(at, at + 65_536));
  return bytes(JSON.stringify({ noise: Buffer.from(random).toString("base64") }));
}

/** Three segments, each with one hour of the day. */
async function sealedHours(): Promise<TestProject> {
  const project = newProject();
  for (const [hour, name] of ["first", "second", "third"].entries()) {
    await ingest(project, post(newId(), { name, start_time: NOON + hour * 3_600_000_000 }));
    await snapshot(project);
  }
  return project;
}

describe("a query", () => {
  it("does not seal", async () => {
    const project = newProject();
    await ingest(project, post(newId(), { name: "hot" }));
    expect(await query(project)).toEqual(["hot"]);
    expect(await keysOf(project)).toEqual([]);
  });

  it("with very many run ids splits them into values that the platform accepts", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    const looked = await runInDurableObject(shardStub(project), (_, { storage }) => {
      const bound: number[] = [];
      const sql = new Proxy(storage.sql, {
        get: (target, name) => {
          if (name !== "exec") return Reflect.get(target, name);
          return (query: string, ...values: SqlStorageValue[]) => {
            for (const value of values) if (typeof value === "string") bound.push(value.length);
            return target.exec(query, ...values);
          };
        },
      });
      storage.sql.exec(
        `INSERT INTO change (run, kind, start, rank, ended, at, bytes)
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
        SELECT printf('00000000-0000-4000-9000-%012d', i), 'post', ?, 3, 0, 0, 1 FROM n`,
        NOON,
      );
      const store = ShardStore.existing(sql);
      if (store === null) throw new Error("there is no store");
      const { fresh } = segmentsWithChanges(store, { ids: null, order: "desc" });
      storage.sql.exec("DELETE FROM change");
      return { runs: fresh.length, longest: Math.max(...bound) };
    });
    expect(looked.runs).toBe(60_001);
    expect(looked.longest).toBeLessThan(MAX_VALUE_BYTES);
  });

  it("sees a patch that arrived before its run, without project and day", async () => {
    const project = newProject();
    const id = newId();
    await ingest(project, patch(id, { name: "patched" }));
    await ingest(project, post(id, { name: "posted" }));
    expect(await query(project)).toEqual(["patched"]);
  });

  it("returns runs in order of time, although a segment groups failed runs and traces", async () => {
    const project = newProject();
    const made = (name: string, hour: number, order: string, fails = false) =>
      post(newId(), {
        ...{ name, dotted_order: order, error: fails ? bytes("failed") : null },
        start_time: NOON + hour * 3_600_000_000,
      });
    const runs = [made("a", 0, "1"), made("b", 1, "2"), made("c", 2, "1.3"), made("d", 3, "2.4", true)];
    await ingest(project, ...runs);
    await snapshot(project);
    expect(await query(project, { limit: 1 })).toEqual(["d"]);
    expect(await query(project, { limit: 3 })).toEqual(["d", "c", "b"]);
    expect(await query(project, { limit: 3, order: "asc" })).toEqual(["a", "b", "c"]);
  });

  it.each<[string, Partial<RunQuestion>, number]>([
    ["the newest segment alone for the newest run", { limit: 1 }, 1],
    ["the oldest segment alone for the oldest run", { limit: 1, order: "asc" }, 1],
    ["segments that overlap its window alone", { window: { start: NOON + 1, end: NOON + 3_600_000_001 } }, 1],
    ["no segment that statistics rule out", { filter: filterOf('eq(name,"third")') }, 1],
    ["no segment when they rule out all", { filter: filterOf('eq(name,"fourth")') }, 0],
    ["no segment for ids that are not there", { ids: [newId()] }, 0],
  ])("reads %s", async (_, change, segments) => {
    const project = await sealedHours();
    const seen: string[] = [];
    await withEnv(project, ({ SEGMENTS }) => ({ SEGMENTS: watched(SEGMENTS, seen) }));
    const names = await query(project, change);
    expect(names).toHaveLength(segments);
    expect(new Set(seen).size).toBe(segments);
  });

  it("sees every run once when all unsealed rows are sealed during the query", async () => {
    const project = await sealedHours();
    const [changed, ...others] = ["changed", "hot", "hotter"].map((name) => post(newId(), { name }));
    if (changed === undefined) throw new Error("nothing to change");
    await ingest(project, changed);
    await snapshot(project);
    await ingest(project, patch(changed.id, { name: "patched" }), ...others);
    let isSealed = false;
    await withEnv(project, ({ SEGMENTS }) => ({
      SEGMENTS: watched(SEGMENTS, [], async () => {
        if (isSealed) return;
        isSealed = true;
        await snapshot(project);
      }),
    }));
    const names = await query(project);
    expect([...names].sort()).toEqual(["first", "hot", "hotter", "patched", "second", "third"]);
    expect(isSealed).toBe(true);
  });

  it("is answered in steps when it reads many bytes, and the steps form one complete answer", async () => {
    const project = newProject();
    const sent: string[] = [];
    for (let segment = 0; segment < 4; segment++) {
      for (let run = 0; run < 4; run++) {
        const id = newId();
        await ingest(project, post(id, { start_time: NOON + sent.length, inputs: noise() }));
        sent.push(id);
      }
      await snapshot(project);
    }
    const found: string[] = [];
    let steps = 0;
    let after: Position | null = null;
    do {
      const filter = filterOf('eq(input_key,"noise")');
      const answer: Awaited<ReturnType<ReturnType<typeof shard>["findRuns"]>> = await shard(project).findRuns({
        ...ALL,
        filter,
        after,
      });
      found.push(...answer.hits.map(({ id }) => id));
      after = answer.stoppedAt;
      steps += 1;
    } while (after !== null);
    expect(found).toEqual(sent.reverse());
    expect(steps).toBeGreaterThan(1);
  });
});
