import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enterRoom } from "../../durable/steps/room.ts";

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
});
