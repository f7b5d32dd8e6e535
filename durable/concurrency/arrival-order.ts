/**
 * Order of requests that ask another system before they write: the write of the one that arrived last stays. In memory,
 * because a restart of the actor ends all its requests.
 */
export class ArrivalOrder {
  #arrived = 0;
  /** Number of the latest arrival that has written, by the name of what it wrote. */
  readonly #written = new Map<string, number>();

  /** Number of a request that arrives now. */
  arrive(): number {
    this.#arrived += 1;
    return this.#arrived;
  }

  /** Whether the request may write now; false: a request for the same thing that arrived later has written. */
  mayWrite(name: string, arrival: number): boolean {
    if ((this.#written.get(name) ?? 0) > arrival) return false;
    this.#written.set(name, arrival);
    return true;
  }
}
