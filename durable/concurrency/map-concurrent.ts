/**
 * Does `work` for every item, at most `lanes` at once; results stand in the order of the items. Where one throws, no
 * further item is begun, and the throw goes on once all that was begun has ended: nothing works on behind the caller.
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
