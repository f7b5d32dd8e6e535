import { runInDurableObject } from "cloudflare:test";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ExportRunActor } from "../../../durable/export-run/export-run.ts";
import { exportRun } from "../../../durable/protocol/actors.ts";
import type { ExportRunSpec } from "../../../src/domain/export-run/events.ts";
import type { ExportRunRecord } from "../../../src/domain/export-run/records.ts";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { newWorkspace } from "../exporting.ts";
import { DAY, env, ingest, newId, post, WHOLE_DAY } from "../traces.ts";

/** An undisturbed attempt takes a tenth of it, also on a busy machine. */
const RUN_TIMEOUT_MS = 3_000;

/** Far less than the deadline of a request to a store, which is a minute. */
const SOON_MS = 10_000;

/** A run of one row, and what its actor waits for. */
const newRun = async (): Promise<ExportRunSpec> => {
  const home = await newWorkspace();
  await ingest(home, post(newId()));
  return {
    runId: crypto.randomUUID(),
    exportId: crypto.randomUUID(),
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
    partition: { ordinal: 0, day: DAY, ...WHOLE_DAY },
    formatVersion: "v1",
    exportFields: null,
    filter: null,
    compression: "snappy", // segments are in zstd, so that the run derives one
    limits: { ...LIMITS, runTimeoutMs: RUN_TIMEOUT_MS, retryDelayMs: 10 },
    createdAt: Date.now(),
  };
};

const stubOf = ({ exportId }: ExportRunSpec) =>
  env.EXPORT_RUN.getByName(`export-run/${exportId}/0`) as DurableObjectStub<ExportRunActor>;

/** Starts the run and waits for its end. */
const outcomeOf = async (spec: ExportRunSpec): Promise<ExportRunRecord> => {
  await exportRun(env, spec.exportId, 0).start(spec);
  for (;;) {
    const view = await exportRun(env, spec.exportId, 0).view();
    if (view !== null && view.status !== "RUNNING") return view;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const expectOneTimeOut = ({ status, failures }: ExportRunRecord, spec: ExportRunSpec): void => {
  expect(status).toBe("COMPLETED");
  expect(failures).toMatchObject([{ retry: 0, failure: { reason: "run_timeout", limitMs: RUN_TIMEOUT_MS } }]);
  expect((failures[0]?.at ?? 0) - spec.createdAt).toBeLessThan(SOON_MS);
};

/** Lets the first request with this method to the bucket of this run be answered never. */
const hangFirst = (method: string, { destination }: ExportRunSpec) => {
  const { fetch: send } = globalThis;
  let hung = 0;
  let aborted = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const isOfRun = init?.method === method && String(input).includes(destination.prefix);
    if (!isOfRun || hung > 0) return send(input, init);
    hung += 1;
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => {
        aborted += 1;
        reject(new DOMException("aborted", "AbortError"));
      });
    });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return { hung: () => hung, aborted: () => aborted };
};

it.each(["PUT", "HEAD"])("A %s that hangs ends with the time of its attempt, which is retried", async (method) => {
  const spec = await newRun();
  const { aborted } = hangFirst(method, spec);
  expectOneTimeOut(await outcomeOf(spec), spec);
  expect(aborted()).toBe(1);
});

it("A read of a segment that hangs ends with the time of its attempt, which is retried", async () => {
  const spec = await newRun();
  let reads = 0;
  const SEGMENTS = new Proxy(env.SEGMENTS, {
    get: (bucket, name) => {
      const method = Reflect.get(bucket, name).bind(bucket);
      if (name !== "get") return method;
      return (...args: readonly unknown[]) => {
        reads += 1;
        return reads === 1 ? new Promise(() => {}) : method(...args);
      };
    },
  });
  await runInDurableObject(stubOf(spec), (actor) => void Object.assign(actor, { env: { ...env, SEGMENTS } }));
  expectOneTimeOut(await outcomeOf(spec), spec);
});

it("A paused run has no time that could be over: its request ends by itself", async () => {
  const spec = await newRun();
  const { hung, aborted } = hangFirst("HEAD", spec);
  await exportRun(env, spec.exportId, 0).start(spec);
  await vi.waitUntil(() => hung() === 1, { timeout: RUN_TIMEOUT_MS });
  await exportRun(env, spec.exportId, 0).pause(1);
  await new Promise((resolve) => setTimeout(resolve, RUN_TIMEOUT_MS + 500));
  expect(await exportRun(env, spec.exportId, 0).view()).toMatchObject({ status: "RUNNING", failures: [] });
  expect(aborted()).toBe(0);
});
