/** Work was no longer waited for, because a signal aborted. */
export class Interrupted extends Error {}

/**
 * Waits for work until the signal aborts, then throws `Interrupted`. Work that cannot be stopped, such as a call or a
 * read of R2, goes on by itself; how it ends is ignored then.
 */
export async function untilInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let interrupt = (): void => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    interrupt = () => reject(new Interrupted());
  });
  signal.addEventListener("abort", interrupt);
  if (signal.aborted) interrupt();
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

/** Waits until the work has ended, however it ends, but not longer than that many milliseconds. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), timeOut]);
  clearTimeout(timer);
}
