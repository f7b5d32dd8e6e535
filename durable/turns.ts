/**
 * Longest wait for the turn before, longer than any request with its deadline takes. A turn that hangs must not keep
 * the later ones from their work; what both do is harmless.
 */
export const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Turns of work of one actor, one after the other: its alarms, and what it begins of itself. The first one begins at
 * once, so that what it writes is committed together with what called for it.
 */
export function makeTurns(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<void> | null = null;
  return (work) => {
    const before = last;
    const turn = before === null ? work() : within(before, LONGEST_WAIT_MS).then(work);
    const over = turn
      .catch(() => {}) // told to whoever did the work
      .then(() => {
        if (last === over) last = null;
      });
    last = over;
    return turn;
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
