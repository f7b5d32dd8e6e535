/**
 * Runs `work` for every item, at most `lanes` at once; results keep the order of the items. After a throw no further item
 * is started, and the throw is passed on once all running work has ended: nothing runs on behind the caller.
 */
export async function mapConcurrent<T, R>(
  lanes: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let isBroken = false;
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (isBroken) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return results;
}
