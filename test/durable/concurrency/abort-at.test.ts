import { describe, expect, it, onTestFinished, vi } from "vitest";
import { abortAt } from "../../../durable/concurrency/abort-at.ts";

const DAY_MS = 86_400_000;

const useFakeTime = () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
};

describe("an abort at an instant", () => {
  it("comes at the instant, and not before", () => {
    useFakeTime();
    const controller = new AbortController();
    const at = Date.now() + 1000;
    abortAt(controller, () => at);
    vi.advanceTimersByTime(999);
    expect(controller.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(controller.signal.aborted).toBe(true);
  });

  it("comes later when the instant has moved meanwhile, and never when there is none any more", () => {
    useFakeTime();
    const [moved, gone] = [new AbortController(), new AbortController()];
    const begun = Date.now();
    let at: number | null = begun + 1000;
    abortAt(moved, () => (at === null ? begun + 5000 : at));
    abortAt(gone, () => at);
    at = null;
    vi.advanceTimersByTime(4999);
    expect([moved.signal.aborted, gone.signal.aborted]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([moved.signal.aborted, gone.signal.aborted]).toEqual([true, false]);
  });

  it("does not come at once for an instant that is further away than a timer can wait", () => {
    useFakeTime();
    const controller = new AbortController();
    const at = Date.now() + 60 * DAY_MS;
    abortAt(controller, () => at);
    vi.advanceTimersByTime(59 * DAY_MS);
    expect(controller.signal.aborted).toBe(false);
    vi.advanceTimersByTime(DAY_MS);
    expect(controller.signal.aborted).toBe(true);
  });

  it("does not come once it was stopped", () => {
    useFakeTime();
    const controller = new AbortController();
    const at = Date.now() + 1000;
    abortAt(controller, () => at)();
    vi.advanceTimersByTime(2000);
    expect(controller.signal.aborted).toBe(false);
  });
});
