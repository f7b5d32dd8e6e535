import { describe, expect, it } from "vitest";
import { exportRun, unrouted, workspace } from "../../../durable/protocol/actors.ts";
import { builtInSource } from "../../../durable/source/built-in/source.ts";
import type { Estimate, EstimateQuestion } from "../../../durable/source/port/estimate.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { DAY_MICROS, dayOfMicros } from "../../../src/domain/shared/time.ts";
import { definitionOf, newWorkspace, noisyRun, type TestWorkspace, untilEnded } from "../exporting.ts";
import { bytes, env, ingest, NOON, newId, patch, post, snapshot, WHOLE_DAY } from "../traces.ts";

const KIB = 1024;
const MIB = 1024 * 1024;
const HOUR_MICROS = 3_600_000_000;

const questionOf = (changes: Partial<EstimateQuestion> = {}): EstimateQuestion => ({
  window: WHOLE_DAY,
  exportFields: null,
  formatVersion: "v1",
  compression: "zstandard",
  filter: null,
  limits: LIMITS,
  ...changes,
});

const estimateOf = async ({ tenantId, project }: TestWorkspace, question: EstimateQuestion): Promise<Estimate> => {
  const source = builtInSource(env, { tenantId, projectId: project.id, shards: project.shards });
  const estimate = await source.estimate(question);
  if (!estimate.ok) throw new Error(estimate.failure.reason);
  return estimate.value;
};

const plainRuns = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    post(newId(), {
      start_time: NOON + n * 1_000_000,
      end_time: NOON + n * 1_000_000 + 5,
      inputs: bytes(JSON.stringify({ question: `How many are ${n} and ${n * 7919}?` })),
    }),
  );

/** The result of a real export with the same request. */
const written = async (home: TestWorkspace, question: EstimateQuestion) => {
  const { exportFields, formatVersion, compression, window } = question;
  const definition = definitionOf(home, { exportFields, formatVersion, compression, ...window });
  await workspace(env, home.tenantId).createExport(definition);
  expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED" });
  const days = await Promise.all(
    Array.from({ length: Math.ceil((window.end - window.start) / DAY_MICROS) }, (_, n) =>
      exportRun(env, definition.id, n).files(),
    ),
  );
  const files = days.flatMap((day) => day?.files ?? []);
  return {
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    files: files.length,
    parts: files.reduce((sum, file) => sum + Math.ceil(file.bytes / LIMITS.partBytes), 0),
  };
};

describe("an estimate", () => {
  it("of sealed runs is exact: rows, files and parts are those of the export, and bytes at most 1 KiB per segment more", async () => {
    const home = await newWorkspace();
    for (let n = 0; n < 3; n += 1) {
      await ingest(home, ...plainRuns(200), noisyRun(4));
      await snapshot(home);
    }
    for (const changes of [{}, { formatVersion: "v2_beta" }, { exportFields: ["id", "name"] }] as const) {
      const question = questionOf(changes);
      const estimate = await estimateOf(home, question);
      const { bytes: exactBytes, ...exact } = await written(home, question);
      expect(estimate).toEqual({ ...exact, bytes: estimate.bytes, days: 1, exact: true });
      expect(estimate.bytes - exactBytes).toBeGreaterThanOrEqual(0);
      expect(estimate.bytes - exactBytes).toBeLessThan(3 * KIB);
    }
    expect(await estimateOf(home, questionOf())).toMatchObject({ rows: 603, files: 1, parts: 2 });
  });

  it("packs files as the planner does", async () => {
    const home = await newWorkspace();
    for (let n = 0; n < 3; n += 1) {
      await ingest(home, noisyRun(1));
      await snapshot(home);
    }
    const small = { ...LIMITS, targetFileBytes: MIB };
    expect(await estimateOf(home, questionOf({ limits: small }))).toMatchObject({ files: 3, exact: true });
    expect(await estimateOf(home, questionOf())).toMatchObject({ files: 1, exact: true });
  });

  it("counts unsealed runs, and does not seal them", async () => {
    const home = await newWorkspace();
    await ingest(home, ...plainRuns(500));
    const question = questionOf();
    const estimate = await estimateOf(home, question);
    expect(estimate).toMatchObject({ rows: 500, files: 1, parts: 1, days: 1, exact: false });
    expect(await estimateOf(home, question)).toEqual(estimate);
    const exact = await written(home, question);
    expect(estimate.bytes / exact.bytes).toBeGreaterThan(0.8);
    expect(estimate.bytes / exact.bytes).toBeLessThan(1.2);
  });

  it("is not exact while a change waits for its sealed run, which still counts once", async () => {
    const home = await newWorkspace();
    const [first, ...others] = plainRuns(3);
    if (first === undefined) throw new Error("there are three runs");
    await ingest(home, first, ...others);
    await snapshot(home);
    await ingest(home, patch(first.id, { project: { name: "demo" }, start_time: NOON, name: "patched" }));
    expect(await estimateOf(home, questionOf())).toMatchObject({ rows: 3, files: 1, exact: false });
  });

  it("counts a segment that the window cuts in proportion to the covered time", async () => {
    const home = await newWorkspace();
    await ingest(home, ...plainRuns(1000));
    await snapshot(home);
    const whole = await estimateOf(home, questionOf());
    const half = await estimateOf(home, questionOf({ window: { start: NOON, end: NOON + 500_000_000 } }));
    expect(half).toMatchObject({ rows: 501, files: 1, exact: false });
    expect(half.bytes).toBeLessThan(whole.bytes);
    const beside = { start: NOON + HOUR_MICROS, end: NOON + 2 * HOUR_MICROS };
    expect(await estimateOf(home, questionOf({ window: beside }))).toMatchObject({ rows: 0, files: 0 });
  });

  it("with another codec has the same rows and files, and about the same bytes", async () => {
    const home = await newWorkspace();
    await ingest(home, ...plainRuns(2000));
    await snapshot(home);
    for (const compression of ["gzip", "snappy", "none"] as const) {
      const question = questionOf({ compression });
      const estimate = await estimateOf(home, question);
      const { bytes: exactBytes, ...exact } = await written(home, question);
      expect(estimate).toEqual({ ...exact, bytes: estimate.bytes, days: 1, exact: false });
      expect(estimate.bytes / exactBytes).toBeGreaterThan(0.5);
      expect(estimate.bytes / exactBytes).toBeLessThan(2);
    }
  });

  it("with a filter skips segments that statistics rule out, counts the others whole, and is not exact", async () => {
    const home = await newWorkspace();
    await ingest(home, ...plainRuns(300));
    await snapshot(home);
    await ingest(home, ...plainRuns(200).map((run) => ({ ...run, name: "later" })));
    await snapshot(home);
    for (const [filter, rows] of [
      ['eq(name,"later")', 200],
      ['search("2 and")', 500],
      ['eq(name,"unknown")', 0],
    ] as const) {
      expect(await estimateOf(home, questionOf({ filter }))).toMatchObject({ rows, exact: false });
    }
  });

  it("is refused if it would query more than 5,000 shards, with the number of days with runs that it can cover", async () => {
    const home = await newWorkspace();
    const source = builtInSource(env, { tenantId: home.tenantId, projectId: home.project.id, shards: 64 });
    const days = (count: number) => ({ window: { start: WHOLE_DAY.start, end: WHOLE_DAY.start + count * DAY_MICROS } });
    expect(await source.estimate(questionOf(days(10_000)))).toMatchObject({ ok: true, value: { days: 10_000 } });
    for (let day = 0; day < 79; day += 1) {
      const registered = {
        projectId: home.project.id,
        day: dayOfMicros(WHOLE_DAY.start + day * DAY_MICROS),
        shards: 64,
      };
      await unrouted(env, home.tenantId).registerDay(registered);
    }
    expect(await source.estimate(questionOf(days(79)))).toEqual({
      ok: false,
      failure: { reason: "too_many_days", maxDays: 78 },
    });
  });

  it("of several days and shards includes all of them", async () => {
    const home = await newWorkspace();
    const sharded = { ...home, project: { ...home.project, shards: 4 } };
    await ingest(sharded, ...plainRuns(40));
    const window = { start: WHOLE_DAY.start - 3 * DAY_MICROS, end: WHOLE_DAY.end + DAY_MICROS };
    expect(await estimateOf(sharded, questionOf({ window }))).toMatchObject({ rows: 40, days: 5 });
  });
});
