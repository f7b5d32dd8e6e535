import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { StepContext } from "../../../durable/export-run/steps/context.ts";
import { FilePlans } from "../../../durable/export-run/steps/file-plans.ts";
import { prepare } from "../../../durable/export-run/steps/prepare.ts";
import { takeSnapshot } from "../../../durable/export-run/steps/snapshot.ts";
import { workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import { exportRun as runRules } from "../../../src/domain/export-run/index.ts";
import { type ExportRunState, initialExportRunState } from "../../../src/domain/export-run/state.ts";
import type { ExportField } from "../../../src/domain/run/columns.ts";
import type { Compression } from "../../../src/domain/shared/format.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import type { RunChange } from "../../../src/trace/run/change.ts";
import { eventsOf } from "../../support/events-of.ts";
import { exportedBy, manifestOf } from "../exported-files.ts";
import { definitionOf, newWorkspace, type TestWorkspace, untilEnded } from "../exporting.ts";
import { bytes, DAY, env, feedback, ingest, NOON, newId, post, shardStub, snapshot, WHOLE_DAY } from "../traces.ts";

const SEGMENTS = 4;
const RUNS_PER_SEGMENT = 40;
const SECOND = 1_000_000;

/** The run as sent; the expectations below are derived from this, without the filter language. */
interface Sent {
  readonly id: string;
  readonly trace: string;
  readonly parent: string | null;
  readonly n: number;
  readonly name: string;
  readonly type: string;
  readonly error: string | null;
  readonly seconds: number;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly question: string;
  readonly answer: string;
  readonly tokens: number;
  readonly feedback: { readonly key: string; readonly score: number; readonly value: string } | null;
}

const NAMES = ["agent", "search", "model", "parser"];
const TYPES = ["chain", "retriever", "llm", "parser"];

const sentRun = (n: number): Sent => {
  const id = newId();
  return {
    id,
    trace: id,
    parent: n % 3 === 0 ? null : newId(),
    n,
    name: NAMES[n % 4] ?? "",
    type: TYPES[n % 4] ?? "",
    error: n % 11 === 0 ? `Timeout ${n}` : null,
    seconds: n % 9,
    tags: n % 5 === 0 ? ["production", `v${n % 2}`] : [],
    metadata: {
      ...(n % 2 === 0 ? { k: n % 4 === 0 ? "v" : "w" } : {}),
      ...(n % 7 === 0 ? { flag: n % 14 === 0 ? true : "true" } : {}),
      ...(n % 6 === 0 ? { thread_id: `t${n % 12}` } : n % 8 === 0 ? { session_id: "t0" } : {}),
      version: n,
    },
    question: `what is number ${n}`,
    answer: n % 13 === 0 ? "nothing at all" : `it is ${n}`,
    tokens: 50 * n,
    feedback: n % 10 === 0 ? { key: n % 20 === 0 ? "k" : "other", score: n / 160, value: "label" } : null,
  };
};

const changesOf = (run: Sent): RunChange[] => {
  const start = NOON + run.n * SECOND;
  const posted = post(run.id, {
    trace_id: run.trace,
    parent_run_id: run.parent,
    name: run.name,
    run_type: run.type,
    error: run.error === null ? null : bytes(run.error),
    start_time: start,
    end_time: start + run.seconds * SECOND,
    tags: run.tags,
    inputs: bytes(JSON.stringify({ a: { b: run.question } })),
    outputs: bytes(JSON.stringify({ answer: run.answer, usage_metadata: { total_tokens: run.tokens } })),
    extra: bytes(JSON.stringify({ metadata: run.metadata })),
  });
  return run.feedback === null ? [posted] : [posted, feedback(run.id, run.feedback)];
};

const RUNS = Array.from({ length: SEGMENTS * RUNS_PER_SEGMENT }, (_, n) => sentRun(n));
const some = (n: number): Sent => RUNS[n] as Sent;

let home: TestWorkspace;

beforeAll(async () => {
  home = await newWorkspace();
  for (let from = 0; from < RUNS.length; from += RUNS_PER_SEGMENT) {
    await ingest(home, ...RUNS.slice(from, from + RUNS_PER_SEGMENT).flatMap(changesOf));
    await snapshot(home);
  }
  expect((await snapshot(home)).segments).toHaveLength(SEGMENTS);
  // Small segments are merged after a minute, which these tests may exceed.
  await runInDurableObject(shardStub(home), (_, { storage }) => {
    storage.sql.exec("UPDATE segment SET at = at + ?", DAY_MS);
  });
});

const exported = async (changes: Partial<ExportDefinition>): Promise<string> => {
  const definition = definitionOf(home, changes);
  const created = await workspace(env, home.tenantId).createExport(definition);
  if (!created.ok) throw new Error(created.failure.reason);
  return definition.id;
};

const idsOf = async (exportId: string): Promise<readonly string[]> =>
  (await exportedBy(home, exportId)).flatMap(({ ids }) => ids).sort();

const idsWhere = (isMeant: (run: Sent) => boolean): readonly string[] =>
  RUNS.filter(isMeant)
    .map(({ id }) => id)
    .sort();

const thread = ({ metadata }: Sent): unknown => metadata.thread_id ?? metadata.session_id;
const contains = (run: Sent, part: string): boolean =>
  [run.name, run.error ?? "", ...run.tags, run.question, run.answer, ...Object.values(run.metadata)].some(
    (value) => typeof value === "string" && value.toLowerCase().includes(part),
  );
const iso = (n: number): string => new Date(NOON / 1000 + n * 1000).toISOString();

describe("an export with a filter", () => {
  it.each<[string, (run: Sent) => boolean]>([
    ['eq(name,"agent")', (run) => run.name === "agent"],
    ['neq(name,"agent")', (run) => run.name !== "agent"],
    ['in(name,["agent","model"])', (run) => run.name === "agent" || run.name === "model"],
    ['has(tags,"production")', (run) => run.tags.includes("production")],
    [`has(metadata,'{"k":"v"}')`, (run) => run.metadata.k === "v"],
    ['and(eq(metadata_key,"k"),eq(metadata_value,"v"))', (run) => run.metadata.k === "v"],
    ['and(eq(metadata_key,"k"),neq(metadata_value,"v"))', (run) => run.metadata.k === "w"],
    ['and(eq(metadata_key,"version"),gte(metadata_value,100))', (run) => run.n >= 100],
    ['and(eq(metadata_key,"k"),like(metadata_value,"w%"))', (run) => run.metadata.k === "w"],
    ['and(eq(metadata_key,"flag"),eq(metadata_value,true))', (run) => run.metadata.flag === true],
    ['and(eq(metadata_key,"flag"),eq(metadata_value,"true"))', (run) => run.metadata.flag === "true"],
    ['in(metadata_key,["session_id","conversation_id","thread_id"])', (run) => thread(run) !== undefined],
    ["neq(metadata_key,'k')", (run) => run.metadata.k === undefined],
    [
      'and(eq(feedback_key,"k"),gte(feedback_score,0.5))',
      (run) => run.feedback?.key === "k" && run.feedback.score >= 0.5,
    ],
    ['eq(feedback_value,"label")', (run) => run.feedback !== null],
    ['eq(status,"error")', (run) => run.error !== null],
    ['neq(status,"error")', (run) => run.error === null],
    ["neq(error,null)", (run) => run.error !== null],
    ["eq(error,null)", (run) => run.error === null],
    ['gt(latency,"5s")', (run) => run.seconds > 5],
    ["gt(latency,5)", (run) => run.seconds > 5],
    [`gt(start_time,"${iso(100)}")`, (run) => run.n > 100],
    ["gt(total_tokens,5000)", (run) => run.tokens > 5000],
    ['eq(run_type,"llm")', (run) => run.type === "llm"],
    ["eq(is_root,true)", (run) => run.parent === null],
    [`eq(id,"${some(7).id}")`, (run) => run.n === 7],
    [`eq(trace_id,"${some(90).trace}")`, (run) => run.n === 90],
    [`eq(parent_run_id,"${some(91).parent}")`, (run) => run.n === 91],
    ['eq(thread_id,"t0")', (run) => thread(run) === "t0"],
    ['and(eq(input_key,"a.b"),like(input_value,"%number 1%"))', (run) => `${run.n}`.startsWith("1")],
    ['and(eq(output_key,"answer"),like(output_value,"%nothing%"))', (run) => run.n % 13 === 0],
    ['search("TIMEOUT")', (run) => contains(run, "timeout")],
    ['search("nothing")', (run) => contains(run, "nothing")],
    ['search(name,"pars")', (run) => run.name === "parser"],
  ])("holds exactly the runs that match %s", async (filter, isMeant) => {
    const expected = idsWhere(isMeant);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(RUNS.length);
    const id = await exported({ filter });
    expect(await idsOf(id)).toEqual(expected);
    expect(await manifestOf(home, id)).toMatchObject({ filter, rows: expected.length });
  });

  it.each<Compression>(["zstandard", "snappy", "gzip", "none"])(
    "that also has a window, in %s and with a few fields, holds the runs that match both",
    async (compression) => {
      const start = NOON + 20_000_000;
      const end = NOON + 130_000_000;
      const exportFields: ExportField[] = ["id", "tags"];
      const id = await exported({ start, end, compression, exportFields, filter: "gte(total_tokens,4000)" });
      expect(await untilEnded(home.tenantId, id)).toMatchObject({ status: "COMPLETED" });
      expect((await manifestOf(home, id)).rows).toBe(idsWhere(({ n }) => n >= 80 && n < 130).length);
    },
  );

  it("that matches no run is COMPLETED with no row and no file", async () => {
    for (const filter of ['eq(name,"unknown")', 'eq(name,"b")', 'search("no such text")']) {
      const id = await exported({ filter });
      expect(await exportedBy(home, id)).toEqual([]);
      expect(await manifestOf(home, id)).toMatchObject({ rows: 0, filter });
    }
  });
});

describe("for a filter, an export run", () => {
  it("reads no segment that its statistics rule out", async () => {
    const { reads, derived } = await prepared(`gt(start_time,"${iso(RUNS.length)}")`);
    expect({ reads, derived }).toEqual({ reads: [], derived: [] });
  });

  it("reads only what planning needs of segments that match as a whole by their statistics", async () => {
    const { reads, derived, rows } = await prepared(`gte(start_time,"${iso(RUNS_PER_SEGMENT)}")`);
    expect({ reads, derived, rows }).toEqual({ reads: [], derived: [], rows: RUNS.length - RUNS_PER_SEGMENT });
  });

  it("reads only the filter's columns where no row of a segment matches", async () => {
    const { reads, derived, segmentBytes } = await prepared('eq(name,"b")');
    expect(derived).toEqual([{ index: 0, upTo: SEGMENTS - 1, segment: null }]);
    expect(new Set(reads.map(({ key }) => key)).size).toBe(SEGMENTS);
    expect(reads.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(segmentBytes);
  });

  it("makes one segment of the matching rows of neighbouring segments", async () => {
    const { derived, rows } = await prepared('eq(status,"error")');
    expect(derived).toMatchObject([{ index: 0, upTo: SEGMENTS - 1, segment: { rows } }]);
    expect(rows).toBe(idsWhere(({ error }) => error !== null).length);
  });

  it("re-derives a segment held in memory after a restart, byte for byte", async () => {
    const { derived, bytesOf } = await prepared("neq(error,null)");
    expect(derived.at(-1)?.isHeld).toBe(true);
    const again = await bytesOf(new FilePlans());
    expect(again.length).toBeGreaterThan(0);
    expect(Buffer.compare(again, await bytesOf(null))).toBe(0);
  });

  it("copies a segment whose rows all match", async () => {
    const { derived, rows } = await prepared("gte(latency,0)");
    expect(rows).toBe(RUNS.length);
    for (const { segment } of derived) expect(segment?.key).toMatch(/^trace\//);
  });
});

/** The first two steps of a run with a filter, and their reads of segments. */
async function prepared(filter: string) {
  const reads: { readonly key: string; readonly length: number }[] = [];
  let state: ExportRunState = initialExportRunState;
  const submit = (command: ExportRunCommand) => {
    for (const event of eventsOf(runRules.decide(command, state))) state = runRules.evolve(state, event);
  };
  const partition = { ordinal: 0, day: DAY, ...WHOLE_DAY };
  const { tenantId, project, destinationId } = home;
  const spec: ExportRunSpec = {
    ...{ runId: crypto.randomUUID(), exportId: crypto.randomUUID(), tenantId, projectId: project.id, shards: 1 },
    ...{ destinationId, partition, formatVersion: "v1", exportFields: null, filter, compression: "zstandard" },
    destination: { bucketName: "b", prefix: "", region: null, endpointUrl: null, includeBucketInPrefix: false },
    limits: LIMITS,
    createdAt: 0,
  };
  const SEGMENTS: Env["SEGMENTS"] = new Proxy(env.SEGMENTS, {
    get: (bucket, name) =>
      name === "get"
        ? (key: string, options?: { readonly range: { readonly length: number } }) => {
            if (key.startsWith("trace/") && options !== undefined) reads.push({ key, length: options.range.length });
            return options === undefined ? bucket.get(key) : bucket.get(key, options);
          }
        : Reflect.get(bucket, name).bind(bucket),
  });
  submit({ type: "Start", spec, now: 0 });
  submit({ type: "Wake", now: 0 });
  const progress = () => {
    if (state.status === "NONE") throw new Error("the run was started");
    return state.progress;
  };
  const context: StepContext = {
    env: { ...env, SEGMENTS },
    spec,
    snapshotStep: 0,
    progress,
    record: (command) => {
      submit({ ...command, now: 0 });
      return true;
    },
    isWanted: () => true,
    isTired: () => false,
    timeOut: new AbortController().signal,
  };
  const plans = new FilePlans();
  await takeSnapshot(context, plans);
  await prepare(context, plans);
  const { derived, plan, snapshot: taken } = progress();
  /** Of the first file. null: by the plans that prepared it. */
  const bytesOf = async (others: FilePlans | null) => {
    const [file] = await (others ?? plans).load(context);
    if (file === undefined) throw new Error("no file was planned");
    return (others ?? plans).bytes(context, file, 0, file.bytes);
  };
  return { reads, derived, rows: plan?.rows, segmentBytes: taken?.bytes ?? 0, bytesOf };
}
