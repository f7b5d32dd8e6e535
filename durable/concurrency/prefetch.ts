/**
 * Begins the work for up to `depth` items before their results are asked for; results come in the order of the items.
 * When the reader leaves early, what was begun is waited for, and each result is handed to `dispose` as soon as it is there.
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
        work.catch(() => {}); // met in its turn
        begun.push(work);
        next += 1;
      }
      const first = begun.shift();
      if (first === undefined) return;
      yield await first;
    }
  } finally {
    // Each at once: one that waits for memory may need what an earlier one holds.
    await Promise.all(begun.map((work) => work.then(dispose, () => {})));
  }
}
