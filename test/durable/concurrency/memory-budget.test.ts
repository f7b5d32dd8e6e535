import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enterRoom, enterSealing } from "../../../durable/concurrency/memory-budget.ts";
import { exported, ingest, NOON, newId, newProject, patch, post, snapshot } from "../traces.ts";

const MIB = 1024 * 1024;
const MINUTE = 60_000;

/** Whether somebody who waits has been let in after several looks. */
async function isIn(entered: Promise<unknown>): Promise<boolean> {
  const outside = new Promise<false>((resolve) => setTimeout(() => resolve(false), 50));
  return Promise.race([entered.then(() => true), outside]);
}

describe("the room of an isolate", () => {
  /** Tests of other files reset actors that never leave the room: by now they are forgotten. */
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * MINUTE }));
  afterEach(() => vi.useRealTimers());

  it("lets in what fits, and the next one when somebody leaves; more than the room goes in alone", async () => {
    const leave = await enterRoom(40 * MIB);
    const next = enterRoom(10 * MIB);
    expect(await isIn(next)).toBe(false);
    leave();
    const leaveNext = await next;
    const giant = enterRoom(100 * MIB);
    expect(await isIn(giant)).toBe(false);
    leaveNext();
    (await giant)();
  });

  it("lets in who needs much of it, however many come later and need little", async () => {
    const leave = await enterRoom(40 * MIB);
    const large = enterRoom(25 * MIB);
    const small = enterRoom(8 * MIB);
    expect(await isIn(small)).toBe(false);
    leave();
    (await large)();
    (await small)();
  });

  it("is looked at the more seldom the longer the line is, and lets all of it in", async () => {
    const leave = await enterRoom(48 * MIB);
    const pause = vi.spyOn(globalThis, "setTimeout");
    const line = Array.from({ length: 100 }, () => enterRoom(MIB));
    const pauses = pause.mock.calls.slice(0, 100).map(([, ms]) => ms);
    pause.mockRestore();
    leave();
    for (const entered of line) (await entered)();
    expect([pauses[0], pauses[31], pauses[32], pauses[99]]).toEqual([5, 5, 10, 20]);
  });

  it("forgets after seconds who no longer looks, because its actor was reset while it waited", async () => {
    const leave = await enterRoom(48 * MIB);
    const pause = vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => 0 as never); // never over
    void enterRoom(48 * MIB);
    pause.mockRestore();
    const next = enterRoom(1);
    leave();
    expect(await isIn(next)).toBe(false);
    vi.setSystemTime(Date.now() + 6000);
    (await next)();
  });

  it("forgets after minutes who never left, because its actor was reset", async () => {
    await enterRoom(48 * MIB);
    const waiting = enterRoom(1);
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    expect(await isIn(waiting)).toBe(false);
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    (await waiting)();
  });

  it("lets a shard seal new runs, and changes of sealed ones, when others have sealed theirs", async () => {
    const project = newProject();
    const id = newId();
    for (const change of [post(id), patch(id, { project: { name: "demo" }, start_time: NOON, name: "patched" })]) {
      const leave = await enterSealing(32 * MIB);
      await ingest(project, change);
      const sealed = snapshot(project);
      expect(await isIn(sealed)).toBe(false);
      leave();
      expect((await sealed).segments).toHaveLength(1);
    }
    expect((await exported(project)).map(({ name }) => name)).toEqual(["patched"]);
  });

  it("lets a shard answer at once that has nothing to seal, and seal while customers' buckets are slow", async () => {
    const project = newProject();
    await ingest(project, post(newId()));
    const leaveFiles = await enterRoom(48 * MIB);
    expect((await snapshot(project)).segments).toHaveLength(1);
    const leave = await enterSealing(32 * MIB);
    expect((await snapshot(project)).segments).toHaveLength(1);
    leave();
    leaveFiles();
  });
});
