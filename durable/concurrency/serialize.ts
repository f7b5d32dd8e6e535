/**
 * Makes a queue that runs work one after the other, in the order of the calls. The queue continues after work that
 * throws.
 */
export function serialize(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {}); // its own caller gets the error
    return turn;
  };
}
