/**
 * Starts the work for up to `depth` items ahead of the reader; results keep the order of the items. When the reader stops
 * early, running work is awaited, and each result is passed to `dispose` as soon as it is there.
 */
export async function* prefetch<T, R>(
  depth: number,
  items: readonly T[],
  begin: (item: T) => Promise<R>,
  dispose: (result: R) => void,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  let next = 0;
  try {
    for (;;) {
      for (const item of items.slice(next, next + depth - begun.length)) {
        const work = begin(item);
        work.catch(() => {}); // handled when it is awaited
        begun.push(work);
        next += 1;
      }
      const first = begun.shift();
      if (first === undefined) return;
      yield await first;
    }
  } finally {
    // Each as soon as it is done: one that waits for memory may need what an earlier one holds.
    await Promise.all(begun.map((work) => work.then(dispose, () => {})));
  }
}
