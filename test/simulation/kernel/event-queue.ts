import type { Speaker } from "./kernel.ts";

/** A planned event. */
export interface PlannedEvent {
  readonly at: number;
  /** Order of events at the same instant. */
  readonly tie: number;
  readonly label: string;
  readonly act: () => void;
  readonly speaker: Speaker | null;
  isCancelled: boolean;
}

const isBefore = (a: PlannedEvent, b: PlannedEvent): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);

/** A binary heap of events, earliest first. */
export class EventQueue {
  readonly #heap: PlannedEvent[] = [];

  add(event: PlannedEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  take(): PlannedEvent | null {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(event: PlannedEvent): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      const other = heap[below + 1];
      if (child === undefined) break;
      if (other !== undefined && isBefore(other, child)) {
        below += 1;
        child = other;
      }
      if (!isBefore(child, event)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = event;
  }
}
