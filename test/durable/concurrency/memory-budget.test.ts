import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { exportMemory, type Lease, MemoryBudget, sealingMemory } from "../../../durable/concurrency/memory-budget.ts";
import { exported, ingest, NOON, newId, newProject, patch, post, shardStub, snapshot, withEnv } from "../traces.ts";

const MIB = 1024 * 1024;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether a request is granted within several polls. */
async function isGranted(request: Promise<unknown>): Promise<boolean> {
  return Promise.race([request.then(() => true), pause(50).then(() => false)]);
}

/** An actor that does the work and is then reset: for its caller the work never ends. */
async function resetAfter(work: () => Promise<unknown>): Promise<void> {
  const reset = runInDurableObject(shardStub(newProject()), async (_actor, state) => {
    await work();
    state.abort("reset");
  });
  await expect(reset).rejects.toThrow("reset");
}

afterEach(() => vi.useRealTimers());

describe("a memory budget", () => {
  it("grants what is free, the rest after a release, and a request above the limit alone", async () => {
    const budget = new MemoryBudget(48);
    const first = await budget.acquire(40);
    const second = budget.acquire(10);
    expect(await isGranted(second)).toBe(false);
    first.release();
    const giant = budget.acquire(100);
    const { release } = await second;
    expect(await isGranted(giant)).toBe(false);
    release();
    (await giant).release();
  });

  it("lets small requests pass a large one while older leases block it", async () => {
    const budget = new MemoryBudget(48);
    const older = await budget.acquire(10);
    const large = budget.acquire(48);
    for (let round = 0; round < 3; round += 1) (await budget.acquire(8)).release();
    older.release();
    (await large).release();
  });

  it("lets no request pass a large one that only passed requests still block, and grants it next", async () => {
    const budget = new MemoryBudget(48);
    const older = await budget.acquire(10);
    const large = budget.acquire(48);
    const passed = await budget.acquire(8);
    older.release();
    const small = budget.acquire(8);
    expect(await isGranted(small)).toBe(false);
    passed.release();
    const { release } = await large;
    expect(await isGranted(small)).toBe(false);
    release();
    (await small).release();
  });

  it("serves a large request despite an endless stream of overlapping small ones", async () => {
    const budget = new MemoryBudget(48);
    let isServed = false;
    const stream = async () => {
      while (!isServed) {
        const lease = await budget.acquire(8);
        await pause(10);
        lease.release();
      }
    };
    const streams = Array.from({ length: 10 }, stream);
    await pause(20);
    const large = await budget.acquire(48);
    isServed = true;
    large.release();
    await Promise.all(streams);
  });

  it("serves large requests in order of arrival", async () => {
    const budget = new MemoryBudget(48);
    const older = await budget.acquire(10);
    const served: number[] = [];
    const requests = [1, 2, 3].map(async (number) => {
      const lease = await budget.acquire(40);
      served.push(number);
      lease.release();
    });
    older.release();
    await Promise.all(requests);
    expect(served).toEqual([1, 2, 3]);
  });

  it("polls less often the more requests wait ahead, and grants all of them", async () => {
    const budget = new MemoryBudget(48);
    const all = await budget.acquire(48);
    const timeouts = vi.spyOn(globalThis, "setTimeout");
    const waiting = Array.from({ length: 1000 }, () => budget.acquire(1));
    const pauses = timeouts.mock.calls.slice(0, 1000).map(([, ms]) => ms);
    timeouts.mockRestore();
    expect([0, 31, 32, 99, 999].map((place) => pauses[place])).toEqual([5, 5, 10, 20, 160]);
    all.release();
    await Promise.all(waiting.map(async (request) => (await request).release()));
  });
});

describe("when an actor of the isolate is reset", () => {
  it("its lease expires within seconds", async () => {
    const budget = new MemoryBudget(48);
    await resetAfter(() => budget.acquire(1));
    const next = budget.acquire(48);
    expect(await isGranted(next)).toBe(false);
    (await next).release();
  });

  it("its waiting request expires within seconds", async () => {
    const budget = new MemoryBudget(48);
    const all = await budget.acquire(48);
    await resetAfter(async () => void budget.acquire(48));
    const next = budget.acquire(1);
    all.release();
    expect(await isGranted(next)).toBe(false);
    (await next).release();
  });

  it("small seals continue while a large one waits for that lease to expire", async () => {
    const dying = newProject();
    await ingest(dying, post(newId()));
    await withEnv(dying, (_env, state) => ({
      SEGMENTS: { put: async () => state.abort("died") } as unknown as R2Bucket,
    }));
    await expect(snapshot(dying)).rejects.toThrow("died");
    const large = sealingMemory.acquire(32 * MIB);
    const project = newProject();
    await ingest(project, post(newId()));
    expect((await snapshot(project)).segments).toHaveLength(1);
    expect(await isGranted(large)).toBe(false);
    (await large).release();
  });
});

describe("a lease is kept", () => {
  it("by an actor that waits for a slow response while others poll", async () => {
    const budget = new MemoryBudget(48);
    let answer = "";
    let next: Promise<Lease> | null = null;
    await runInDurableObject(shardStub(newProject()), async () => {
      const lease = await budget.acquire(48);
      next = budget.acquire(1).then((granted) => {
        expect(answer).toBe("late");
        return granted;
      });
      answer = await (await fetch(inject("slowEndpoint"))).text();
      lease.release();
    });
    (await (next as unknown as Promise<Lease>)).release();
  });

  it("after the clock jumps forward, or a block in which no timer ran", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const budget = new MemoryBudget(48);
    const lease = await budget.acquire(48);
    const next = budget.acquire(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await isGranted(next)).toBe(false);
    lease.release();
    (await next).release();
  });
});

describe("a trace shard", () => {
  it("seals new runs, and changes of sealed ones, once the memory is free", async () => {
    const project = newProject();
    const id = newId();
    for (const change of [post(id), patch(id, { project: { name: "demo" }, start_time: NOON, name: "patched" })]) {
      const lease = await sealingMemory.acquire(32 * MIB);
      await ingest(project, change);
      const sealed = snapshot(project);
      expect(await isGranted(sealed)).toBe(false);
      lease.release();
      expect((await sealed).segments).toHaveLength(1);
    }
    expect((await exported(project)).map(({ name }) => name)).toEqual(["patched"]);
  });

  it("answers immediately if it has nothing to seal, and seals while customers' buckets are slow", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    const files = await exportMemory.acquire(48 * MIB);
    expect((await snapshot(project)).segments).toHaveLength(1);
    const seals = await sealingMemory.acquire(32 * MIB);
    expect((await snapshot(project)).segments).toHaveLength(1);
    seals.release();
    files.release();
  });
});
