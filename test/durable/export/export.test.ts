import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ExportActor } from "../../../durable/export/export.ts";
import type { ExportRunActor } from "../../../durable/export-run/export-run.ts";
import { derivedKey, snapshotKey } from "../../../durable/export-run/steps/scratch.ts";
import { Journal } from "../../../durable/journal/journal.ts";
import { MAX_TURN_WAIT_MS } from "../../../durable/journal/turn-queue.ts";
import { bulkExport, exportRun, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import type { TraceShardProtocol } from "../../../durable/protocol/shard.ts";
import { manifestKey, successKey } from "../../../src/domain/destination/layout.ts";
import { announceExportRun } from "../../../src/domain/export-run/announce.ts";
import type { ExportRunEvent, ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import { exportRun as runDecider } from "../../../src/domain/export-run/index.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import {
  customerObject,
  customerStore,
  definitionOf,
  forget,
  newWorkspace,
  noisyRun,
  type TestWorkspace,
  untilEnded,
} from "../exporting.ts";
import { DAY, env, ingest, NOON, newId, post, snapshot, WHOLE_DAY } from "../traces.ts";

const MIB = 1024 * 1024;
const WITHIN = { timeout: 60_000 };

/** The events of a run. */
const eventsOf = (exportId: string): Promise<readonly ExportRunEvent[]> =>
  runInDurableObject(
    env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>,
    (_actor, { storage }) =>
      [
        ...new Journal(storage, {
          decider: runDecider,
          announce: announceExportRun,
          partitionKey: () => "export",
          supersedes: () => true,
        }).events(),
      ].map((one) => one.event),
  );

const specOf = (home: TestWorkspace, exportId: string, retryDelayMs: number): ExportRunSpec => {
  const partition = { ordinal: 0, day: DAY, ...WHOLE_DAY };
  return {
    runId: crypto.randomUUID(),
    exportId,
    tenantId: home.tenantId,
    projectId: home.project.id,
    shards: 1,
    destinationId: home.destinationId,
    destination: {
      bucketName: "unused",
      prefix: home.prefix,
      region: null,
      endpointUrl: null,
      includeBucketInPrefix: false,
    },
    partition,
    formatVersion: "v1",
    exportFields: null,
    filter: null,
    compression: "zstandard",
    limits: { ...LIMITS, partBytes: 5 * MIB, partsInFlight: 1, retryDelayMs },
    createdAt: Date.now(),
  };
};

async function untilRun(exportId: string, holds: (cursor: string | null, status: string) => boolean): Promise<void> {
  for (;;) {
    const view = await exportRun(env, exportId, 0).view();
    if (view !== null && holds(view.progress?.cursor ?? null, view.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lets `around` decide when a request of the run to its bucket of segments completes. */
const intercept = (
  exportId: string,
  around: (method: string, key: string, ask: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  const bucket = new Proxy(env.SEGMENTS, {
    get:
      (target, method: "get" | "put" | "delete" | "head") =>
      (...args: [key: string, ...never[]]) =>
        around(method, args[0], () => (target[method] as (...given: typeof args) => Promise<unknown>)(...args)),
  });
  const actor = env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>;
  return runInDurableObject(actor, (instance) => void Object.assign(instance, { env: { ...env, SEGMENTS: bucket } }));
};

/** Blocks the run at the given cursor until `released`; polling could miss the moment. */
const holdAt = (
  exportId: string,
  isThere: (cursor: string | null) => boolean,
  released: Promise<void>,
): Promise<void> =>
  intercept(exportId, async (method, _key, ask) => {
    if (method === "get") {
      const view = await exportRun(env, exportId, 0).view();
      if (isThere(view?.progress?.cursor ?? null)) await released;
    }
    return ask();
  });

describe("an export", () => {
  it("is COMPLETED only with a manifest that lists its files and a _SUCCESS that names the manifest", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId(), { inputs: new TextEncoder().encode('{"a":1}') }), post(newId()));
    const definition = definitionOf(home, { end: WHOLE_DAY.end + DAY_MICROS });
    await workspace(env, home.tenantId).createExport(definition);
    const ended = await untilEnded(home.tenantId, definition.id);
    expect(ended).toMatchObject({ status: "COMPLETED", rowsWritten: 2, rowsPlanned: 2 });

    const store = customerStore(home.prefix);
    const manifest = await customerObject(manifestKey(home.prefix, definition.id));
    const success = await customerObject(successKey(home.prefix, definition.id));
    if (manifest === null || success === null) throw new Error("the manifest or its marker is missing");
    const listed = JSON.parse(new TextDecoder().decode(manifest));
    expect(listed).toMatchObject({
      rows: 2,
      runs: [{ day: DAY, rows: 2 }],
      empty_days: [{ first: "2030-01-03", last: "2030-01-03" }],
    });
    for (const file of listed.runs[0].files) {
      const seen = await store.head(file.key);
      expect(seen.ok && seen.value).toEqual({ bytes: file.bytes, etag: file.etag });
      expect(file.verification).toBe("size+etag");
      expect(file.expected_etag).toBe(file.etag);
    }
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", manifest)).toString("hex");
    expect(new TextDecoder().decode(success)).toBe(`sha256:${digest}\n`);
  });

  it("has the runs from the first microsecond of its window up to the last one before its end", async () => {
    const home = await newWorkspace();
    const starts = [NOON + 499, NOON + 500, NOON + 999, NOON + 1500, NOON + 1501];
    await ingest(home, ...starts.map((start_time) => post(newId(), { start_time })));
    const definition = definitionOf(home, { start: NOON + 500, end: NOON + 1501 });
    await workspace(env, home.tenantId).createExport(definition);
    expect(await untilEnded(home.tenantId, definition.id)).toMatchObject({ status: "COMPLETED", rowsWritten: 3 });
  });

  it("whose destination was deleted fails immediately with this reason", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    await forget(home.tenantId, home.destinationId);
    const definition = definitionOf(home);
    await workspace(env, home.tenantId).createExport(definition);
    const ended = await untilEnded(home.tenantId, definition.id);
    expect(ended.status).toBe("FAILED");
    const runs = await workspace(env, home.tenantId).listRuns({ exportId: definition.id, ...FIRST_BATCH });
    expect(runs.ok && runs.value.items[0]?.failures).toMatchObject([
      { retry: 0, failure: { reason: "destination_deleted" } },
    ]);
  });

  it("spawned for a window whose destination was deleted by force makes the gap visible: it is registered and FAILED", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    const actor = workspace(env, home.tenantId);
    expect((await actor.deleteDestination({ id: home.destinationId, force: true })).ok).toBe(true);
    const definition = definitionOf(home, { sourceExportId: crypto.randomUUID() });
    await actor.spawnExport(definition);
    expect((await untilEnded(home.tenantId, definition.id)).status).toBe("FAILED");
    const runs = await actor.listRuns({ exportId: definition.id, ...FIRST_BATCH });
    expect(runs.ok && runs.value.items[0]?.failures).toMatchObject([{ failure: { reason: "destination_deleted" } }]);
  });

  it("cancelled while a run uploads stays cancelled; the run aborts its upload and writes no file", async () => {
    const home = await newWorkspace();
    await ingest(home, noisyRun(9), noisyRun(9));
    const definition = definitionOf(home);
    const released = Promise.withResolvers<void>();
    await holdAt(definition.id, (cursor) => cursor !== null, released.promise);
    await workspace(env, home.tenantId).createExport(definition);
    await untilRun(definition.id, (cursor) => cursor !== null);
    const cancelled = await workspace(env, home.tenantId).cancelExport(definition.id);
    released.resolve();
    expect(cancelled.ok && cancelled.value.status).toBe("CANCELLED");
    await untilRun(definition.id, (_cursor, status) => status === "CANCELLED");
    expect((await untilEnded(home.tenantId, definition.id)).status).toBe("CANCELLED");
    expect((await eventsOf(definition.id)).some((event) => event.type === "FileCommitted")).toBe(false);
  });
});

describe("a run", () => {
  it("killed inside a file resumes there: no part is sent twice, no retry is spent, the bytes are the same", async () => {
    const home = await newWorkspace();
    await ingest(home, noisyRun(9), noisyRun(9), noisyRun(9));
    const undisturbed = crypto.randomUUID();
    await exportRun(env, undisturbed, 0).start(specOf(home, undisturbed, 50));
    await untilRun(undisturbed, (_cursor, status) => status === "COMPLETED");

    const killed = crypto.randomUUID();
    await holdAt(killed, (cursor) => cursor === "0:2", new Promise(() => {})); // until it is killed
    await exportRun(env, killed, 0).start(specOf(home, killed, 50));
    await untilRun(killed, (cursor) => cursor === "0:2");
    await abortAllDurableObjects();
    await untilRun(killed, (_cursor, status) => status === "COMPLETED");

    const events = await eventsOf(killed);
    const parts = events.flatMap((event) => (event.type === "PartUploaded" ? [event.part] : []));
    expect(events.some((event) => event.type === "StepCrashed")).toBe(true);
    expect(events.some((event) => event.type === "AttemptFailed")).toBe(false);
    expect(events.filter((event) => event.type === "UploadOpened")).toHaveLength(1);
    expect(parts).toEqual([...new Set(parts)]);
    const files = await Promise.all([undisturbed, killed].map((id) => exportRun(env, id, 0).files()));
    const [first, second] = await Promise.all(files.map((one) => customerObject(one?.files[0]?.key ?? "")));
    if (!first || !second) throw new Error("a file is missing");
    expect(Buffer.compare(first, second)).toBe(0);
    const sha256 = Buffer.from(await crypto.subtle.digest("SHA-256", first)).toString("hex");
    for (const proven of files.map((one) => one?.files[0])) {
      expect(proven).toMatchObject({ sha256, verification: "size+etag", etag: proven?.expectedEtag });
      expect(proven?.etag).toMatch(new RegExp(`-${new Set(parts).size}$`));
    }
    expect(first.length).toBeGreaterThan(15 * MIB);
  });

  it("does no work for an attempt that has timed out: the time-out spends a retry and nothing is written", async () => {
    const home = await newWorkspace();
    const exportId = crypto.randomUUID();
    const spec = specOf(home, exportId, 3_600_000);
    await exportRun(env, exportId, 0).start({ ...spec, limits: { ...spec.limits, runTimeoutMs: 0 } });
    await untilRun(exportId, (_cursor, status) => status === "RUNNING");
    await runInDurableObject(
      env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>,
      (actor) => actor.alarm(),
    );
    const types = (await eventsOf(exportId)).map((event) => event.type);
    expect(types).toEqual(["RunStarted", "AttemptStarted", "AttemptFailed"]);
    expect(await env.SEGMENTS.head(snapshotKey(spec, 1))).toBeNull();
  });

  it("cancelled while it derives a segment leaves no scratch objects of it", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    const exportId = crypto.randomUUID();
    const spec = { ...specOf(home, exportId, 20), compression: "gzip" as const };
    const whole = { ...spec, tenantId: home.tenantId, projectId: home.project.id };
    const stub = env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>;
    await runInDurableObject(stub, async (actor) => {
      const put = async (key: string, value: string | Uint8Array) => {
        if (key === derivedKey(whole, 0)) await actor.cancel();
        return env.SEGMENTS.put(key, value);
      };
      const { SEGMENTS } = env;
      const segments = { put, get: SEGMENTS.get.bind(SEGMENTS), delete: SEGMENTS.delete.bind(SEGMENTS) };
      Reflect.set(actor, "env", { ...env, SEGMENTS: segments });
      await actor.start(whole);
    });
    await untilRun(exportId, (_cursor, status) => status === "CANCELLED");
    for (let events = await eventsOf(exportId); events.at(-1)?.type !== "ScratchCleaned"; )
      events = await eventsOf(exportId);
    expect((await eventsOf(exportId)).some((event) => event.type === "SegmentDerived")).toBe(false);
    expect(await env.SEGMENTS.head(derivedKey(whole, 0))).toBeNull();
  });

  it("reports its outcome to its export even while its scratch objects cannot be removed", async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    const exportId = crypto.randomUUID();
    const spec = { ...specOf(home, exportId, 20), compression: "gzip" as const };
    const stub = env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>;
    const down = () => Promise.reject(new Error("down"));
    const broken = { get: down, put: down, delete: down };
    await runInDurableObject(stub, async (actor) => {
      Reflect.set(actor, "env", { ...env, SEGMENTS: broken });
      await actor.start({ ...spec, limits: { ...spec.limits, maxRetries: 0 } });
    });
    await untilRun(exportId, (_cursor, status) => status === "FAILED");
    await runInDurableObject(stub, async (actor, { storage }) => {
      await actor.alarm();
      expect(storage.sql.exec("SELECT body FROM outbox").toArray()).toEqual([]);
      expect(await storage.getAlarm()).not.toBeNull();
    });
    const crashes = (await eventsOf(exportId)).filter((event) => event.type === "StepCrashed").map((event) => event.at);
    expect(crashes).toHaveLength(3);
    expect((crashes[2] ?? 0) - (crashes[0] ?? 0)).toBeGreaterThanOrEqual(2 * 20);
  });
});

/** A turn that hangs delays later turns by a millisecond, instead of `MAX_TURN_WAIT_MS`. */
const shortenWaitForTurns = (): void => {
  const { setTimeout: wait } = globalThis;
  const isLong = (ms: number | undefined) => ms === MAX_TURN_WAIT_MS;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms?: number) =>
    wait(work, isLong(ms) ? 1 : ms)) as typeof setTimeout);
  onTestFinished(() => void vi.restoreAllMocks());
};

it("A step that returns after its run has ended leaves no scratch objects", async () => {
  const home = await newWorkspace();
  await ingest(home, post(newId()));
  const exportId = crypto.randomUUID();
  // Recoding derives a segment: this one reaches the store long after the run was cancelled.
  const spec: ExportRunSpec = { ...specOf(home, exportId, 30_000), compression: "snappy" };
  const requested = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  await intercept(exportId, async (method, _key, ask) => {
    if (method !== "put") return ask();
    requested.resolve();
    await answered.promise;
    const result = await ask();
    written.resolve();
    return result;
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await exportRun(env, exportId, 0).start(spec);
    await requested.promise;
    await exportRun(env, exportId, 0).cancel();
    await vi.advanceTimersByTimeAsync(MAX_TURN_WAIT_MS); // the longest wait for a turn that hangs
  } finally {
    vi.useRealTimers();
  }
  await vi.waitUntil(async () => (await eventsOf(exportId)).some(({ type }) => type === "ScratchCleaned"), WITHIN);
  answered.resolve();
  await written.promise;
  await vi.waitUntil(async () => (await env.SEGMENTS.head(derivedKey(spec, 0))) === null, WITHIN);
});

it("A run whose snapshot hung exports what was acknowledged before its next snapshot request", async () => {
  shortenWaitForTurns();
  const home = await newWorkspace();
  await ingest(home, post(newId()));
  const exportId = crypto.randomUUID();
  const released = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let answered = 0;
  const getByName = (name: string) => {
    const shard = env.TRACE_SHARD.getByName(name) as unknown as TraceShardProtocol;
    const takeSnapshot: TraceShardProtocol["snapshot"] = async (...question) => {
      const answer = await shard.snapshot(...question);
      answered += 1;
      await released[answered - 1]?.promise;
      return answer;
    };
    return { snapshot: takeSnapshot };
  };
  const stub = env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>;
  await runInDurableObject(stub, (actor) => void Object.assign(actor, { env: { ...env, TRACE_SHARD: { getByName } } }));
  await exportRun(env, exportId, 0).start(specOf(home, exportId, 30_000));
  await vi.waitUntil(() => answered === 1, WITHIN);
  await ingest(home, post(newId()));
  const alarm = runInDurableObject(stub, (actor) => actor.alarm());
  await vi.waitUntil(() => answered === 2, WITHIN);
  released[0].resolve();
  await new Promise((resume) => setTimeout(resume, 100));
  released[1].resolve();
  await alarm;
  await untilRun(exportId, (_cursor, status) => status === "COMPLETED");
  expect(await exportRun(env, exportId, 0).view()).toMatchObject({ progress: { rowsPlanned: 2, rowsWritten: 2 } });
});

it("A run that is paused and resumed while it waits for segments exports exactly the rows of its window", async () => {
  const home = await newWorkspace();
  for (const _ of ["first segment", "second segment"]) {
    await ingest(home, post(newId(), { start_time: NOON - 1 }), post(newId(), { start_time: NOON }));
    await snapshot(home);
  }
  const exportId = crypto.randomUUID();
  const spec = specOf(home, exportId, 30_000);
  const keys: string[] = [];
  const requested = Promise.withResolvers<void>();
  const answered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  await intercept(exportId, async (method, key, ask) => {
    if (method === "get") {
      if (!keys.includes(key)) keys.push(key);
      if (keys.length === 2) requested.resolve();
      await answered[keys.indexOf(key)]?.promise;
    }
    return ask();
  });
  await exportRun(env, exportId, 0).start({ ...spec, partition: { ...spec.partition, start: NOON } });
  await requested.promise;
  await exportRun(env, exportId, 0).pause(1);
  answered[0].resolve();
  await new Promise((resume) => setTimeout(resume, 100));
  await exportRun(env, exportId, 0).resume(2);
  answered[1].resolve();
  await vi.waitUntil(async () => (await eventsOf(exportId)).some(({ type }) => type === "ScratchCleaned"), WITHIN);
  expect(await exportRun(env, exportId, 0).view()).toMatchObject({ status: "COMPLETED", progress: { rowsWritten: 2 } });
});

it("A run that was paused until its segments were removed fails with that reason and what to do", async () => {
  const home = await newWorkspace();
  await ingest(home, post(newId()));
  const { segments } = await snapshot(home);
  const exportId = crypto.randomUUID();
  const spec = specOf(home, exportId, 30_000);
  await intercept(exportId, async (method, key, ask) => {
    if (method === "get") await env.SEGMENTS.delete(key);
    return ask();
  });
  await exportRun(env, exportId, 0).start({ ...spec, limits: { ...spec.limits, maxRetries: 0 } });
  await untilRun(exportId, (_cursor, status) => status === "FAILED");
  const view = await exportRun(env, exportId, 0).view();
  expect([segments.length, view?.failures.map(({ failure }) => failure)]).toEqual([
    1,
    [{ reason: "processing", message: expect.stringMatching(/is gone: the export was paused .* clone/i) }],
  ]);
  await vi.waitUntil(async () => (await eventsOf(exportId)).some(({ type }) => type === "ScratchCleaned"), WITHIN);
});

/** Makes an actor call `around` instead of its destination when it opens the bucket. */
const interceptAccess = (
  actor: DurableObjectStub<ExportRunActor | ExportActor>,
  around: (ask: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  const DESTINATION = {
    getByName: (name: string) => {
      const stub = env.DESTINATION.getByName(name) as unknown as { access(tenantId: string): Promise<unknown> };
      return { access: (tenantId: string) => around(() => stub.access(tenantId)) };
    },
  };
  return runInDurableObject(actor, (instance) => void Object.assign(instance, { env: { ...env, DESTINATION } }));
};

/** Answers requests one by one when the test says so; false: the destination does not exist. */
const answering = () => {
  const answers = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
  let requested = 0;
  return {
    around: async (ask: () => Promise<unknown>) => {
      requested += 1;
      return (await answers[requested - 1]?.promise) ? ask() : null;
    },
    answer: (n: number, isThere: boolean) => answers[n]?.resolve(isThere),
    untilRequested: (times: number) => vi.waitUntil(() => requested === times, WITHIN),
  };
};

it("A manifest write that fails in a hung turn does not fail the export while a later turn writes it", async () => {
  shortenWaitForTurns();
  const home = await newWorkspace();
  await ingest(home, post(newId()));
  const definition = definitionOf(home);
  const { answer, around, untilRequested } = answering();
  const stub = env.EXPORT.getByName(`export/${definition.id}`) as DurableObjectStub<ExportActor>;
  await interceptAccess(stub, around);
  expect((await workspace(env, home.tenantId).createExport(definition)).ok).toBe(true);
  await untilRequested(1);
  await untilRequested(2);
  answer(0, false);
  await new Promise((resume) => setTimeout(resume, 100));
  expect((await bulkExport(env, definition.id).view())?.status).toBe("RUNNING");
  answer(1, true);
  expect((await untilEnded(home.tenantId, definition.id)).status).toBe("COMPLETED");
});

describe("A missing destination that a step reports late does not count as a failure", () => {
  /** A run whose steps open their bucket one by one, each answered when the test says so; false: not found. */
  const begin = async () => {
    const home = await newWorkspace();
    await ingest(home, post(newId()));
    const exportId = crypto.randomUUID();
    const { answer, around, untilRequested } = answering();
    await interceptAccess(
      env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>,
      around,
    );
    await exportRun(env, exportId, 0).start(specOf(home, exportId, 30_000));
    const view = () => exportRun(env, exportId, 0).view();
    const untilCompleted = () => vi.waitUntil(async () => (await view())?.status === "COMPLETED", WITHIN);
    await untilRequested(1);
    return { exportId, answer, untilRequested, untilCompleted, view };
  };

  it("when the run was paused and resumed in between", async () => {
    const { exportId, answer, untilRequested, untilCompleted, view } = await begin();
    await exportRun(env, exportId, 0).pause(1);
    await exportRun(env, exportId, 0).resume(2);
    answer(0, false);
    await untilRequested(2);
    answer(1, true);
    await untilCompleted();
    expect(await view()).toMatchObject({ retryNumber: 0, failures: [] });
  });

  it("when the step hung and a later turn does its work", async () => {
    shortenWaitForTurns();
    const { answer, untilRequested, untilCompleted, view } = await begin();
    await untilRequested(2);
    answer(0, false);
    await new Promise((resume) => setTimeout(resume, 100));
    expect(await view()).toMatchObject({ status: "RUNNING", retryNumber: 0, failures: [] });
    answer(1, true);
    await untilCompleted();
  });
});
