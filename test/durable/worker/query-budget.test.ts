import { describe, expect, it } from "vitest";
import type { Env } from "../../../durable/protocol/env.ts";
import type { FoundRuns, RowsQuestion } from "../../../durable/protocol/query.ts";
import type { DaysToQuery } from "../../../durable/protocol/unrouted.ts";
import { queryRuns } from "../../../durable/worker/query/query.ts";
import type { Project } from "../../../src/domain/project/records.ts";
import { startOfDay } from "../../../src/domain/shared/time.ts";
import { queryOf } from "../../../src/http/runs/query-schemas.ts";
import { newProject } from "../traces.ts";

const MIB = 1024 * 1024;
/** Requests that were in flight when a bound was reached still arrive. */
const SIDE_BY_SIDE = 12;

const DAYS = ["2026-09-02", "2026-09-01"];

interface Shards {
  readonly projects: number;
  readonly shards: number;
  readonly readBytes: number;
  /** Whether one has a matching run. */
  readonly finds: (shard: { readonly day: string; readonly projectId: string; readonly shard: string }) => boolean;
}

/** Queries runs of two days, whose shards report what was read and found. */
async function ask({ projects: count, shards, readBytes, finds }: Shards, limit = 10) {
  const projects = new Map(Array.from({ length: count }, () => newProject(shards).project).map((one) => [one.id, one]));
  const daysOf = (day: string) => [...projects.values()].map(({ id }: Project) => ({ projectId: id, day, shards }));
  let questions = 0;
  const shardOf = (name: string) => ({
    async findRuns(): Promise<FoundRuns> {
      questions += 1;
      const [, , projectId = "", day = "", shard = ""] = name.split("/");
      const id = crypto.randomUUID();
      const hit = { start: startOfDay(day) * 1000, id, projectId, day, trace: { id, days: [day] } };
      return { hits: finds({ day, projectId, shard }) ? [hit] : [], stoppedAt: null, readBytes };
    },
    readRuns: async ({ ids }: RowsQuestion) => ids.map((id) => ({ id })),
  });
  const daysToQuery = async ({ lastDay }: DaysToQuery) =>
    DAYS.filter((day) => day <= lastDay)
      .slice(0, 1)
      .flatMap(daysOf);
  const env = { UNROUTED: { getByName: () => ({ daysToQuery }) }, TRACE_SHARD: { getByName: shardOf } };
  const query = { ...queryOf({ limit }), projects };
  const page = await queryRuns(env as unknown as Env, "tenant", query); // nothing else is used
  return { questions, refusal: page.ok ? null : page.failure, found: page.ok ? page.value : null };
}

describe("a day of very many shards", () => {
  it("is answered when a run is found, however many bytes were read for it", async () => {
    const { found } = await ask({ projects: 40, shards: 1, readBytes: 33 * MIB, finds: () => true });
    expect(found?.runs).toHaveLength(10);
  });

  it("is answered when a run is found, however many shards were read for it", async () => {
    const { found, questions } = await ask({ projects: 100, shards: 64, readBytes: 0, finds: () => true });
    expect([found?.runs.length, questions]).toEqual([10, 6400]);
  });

  it("is refused before the platform ends the request", async () => {
    const { refusal, questions } = await ask({ projects: 200, shards: 64, readBytes: 0, finds: () => true });
    expect(refusal?.reason).toBe("invalid");
    expect(questions).toBeLessThan(9000 + SIDE_BY_SIDE);
  });

  it("ends a page that already holds runs, and the next page starts at that day", async () => {
    const finds: Shards["finds"] = ({ day, shard }) => day === DAYS[0] && shard === "0";
    const { found, questions } = await ask({ projects: 1, shards: 4999, readBytes: 0, finds });
    expect([found?.runs.length, questions]).toEqual([1, 4999]);
    expect(found?.next).toMatchObject({ start: startOfDay(String(DAYS[0])) * 1000 });
  });
});

describe("a query that finds nothing", () => {
  const finds = () => false;
  it("is refused after a bounded number of requests", async () => {
    const { refusal, questions } = await ask({ projects: 3, shards: 2000, readBytes: 0, finds });
    expect(refusal?.reason).toBe("invalid");
    expect(questions).toBeLessThan(5000 + SIDE_BY_SIDE);
  });

  it("is refused after a bounded number of bytes", async () => {
    const { refusal, questions } = await ask({ projects: 1, shards: 100, readBytes: 32 * MIB, finds });
    expect(refusal).toMatchObject({ reason: "invalid", loc: ["body"] });
    expect(questions).toBeLessThan(1024 / 32 + SIDE_BY_SIDE);
  });

  it("returns an empty page within these bounds", async () => {
    const { found, questions } = await ask({ projects: 1, shards: 2499, readBytes: 0, finds });
    expect([found, questions]).toEqual([{ runs: [], next: null }, 4998]);
  });
});
