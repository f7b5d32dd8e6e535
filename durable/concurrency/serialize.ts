/**
 * A line: work is done one after the other, in the order in which it came. Work that throws ends its turn as any
 * other, so nobody waits for ever for somebody who gave up.
 */
export function serialize(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {}); // told to whoever did the work
    return turn;
  };
}
