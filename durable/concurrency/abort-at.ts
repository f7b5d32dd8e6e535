/** Longest time of a timer; a longer one fires at once (HTML: timers are signed 32-bit numbers). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Aborts at an instant, in epoch milliseconds, which is asked for again whenever a timer fires: it may have moved. Null:
 * there is none any more. The result stops the timer; it must be called, because a timer keeps an actor in memory.
 */
export function abortAt(controller: AbortController, instant: () => number | null): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const at = instant();
    if (at === null) return;
    const left = at - Date.now();
    if (left <= 0) controller.abort();
    else timer = setTimeout(look, Math.min(left, MAX_TIMER_MS));
  };
  look();
  return () => clearTimeout(timer);
}
