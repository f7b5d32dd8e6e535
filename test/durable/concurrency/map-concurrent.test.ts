import { describe, expect, it } from "vitest";
import { mapConcurrent } from "../../../durable/concurrency/map-concurrent.ts";
import { MemoryBudget } from "../../../durable/concurrency/memory-budget.ts";
import { prefetch } from "../../../durable/concurrency/prefetch.ts";

const later = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("mapConcurrent", () => {
  it("processes every item, within the concurrency limit, and returns results in the order of the items", async () => {
    let open = 0;
    let most = 0;
    const results = await mapConcurrent(2, [1, 2, 3, 4, 5], async (item) => {
      open += 1;
      most = Math.max(most, open);
      await later();
      open -= 1;
      return item * 10;
    });
    expect(results).toEqual([10, 20, 30, 40, 50]);
    expect(most).toBe(2);
  });

  it("starts no further item after an error, and leaves nothing running", async () => {
    const begun: number[] = [];
    let ended = 0;
    const work = mapConcurrent(2, [1, 2, 3, 4], async (item) => {
      begun.push(item);
      if (item === 1) throw new Error("broken");
      await later();
      ended += 1;
    });
    await expect(work).rejects.toThrow("broken");
    expect(begun).toEqual([1, 2]);
    expect(ended).toBe(1);
    await later();
    expect(begun).toEqual([1, 2]);
  });
});

it("a reader that stops early releases the memory of everything prefetched, even when memory is scarce", async () => {
  const budget = new MemoryBudget(10);
  const read = async () => {
    for await (const lease of prefetch(
      3,
      [1, 2, 3],
      () => budget.acquire(10),
      ({ release }) => release(),
    )) {
      lease.release();
      throw new Error("the write failed");
    }
  };
  await expect(read()).rejects.toThrow("the write failed");
  (await budget.acquire(10)).release();
});
