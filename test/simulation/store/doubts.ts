import type { Operation } from "./requests.ts";

/**
 * Requests whose effect the sender cannot know: refused, unanswered, answered after the sender crashed, or delivered
 * again. Invariants ignore their effects.
 */
export class Doubts {
  readonly #open = new Map<string, number>();

  arrived(operation: Operation): void {
    const name = nameOf(operation.kind, subjectOf(operation));
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
  }

  /** The sender received a successful answer. */
  acknowledged(operation: Operation): void {
    const name = nameOf(operation.kind, subjectOf(operation));
    this.#open.set(name, (this.#open.get(name) ?? 0) - 1);
  }

  /** `subject`: a key, or the id of an upload. */
  about(kind: Operation["kind"], subject: string): boolean {
    return (this.#open.get(nameOf(kind, subject)) ?? 0) > 0;
  }
}

const nameOf = (kind: Operation["kind"], subject: string): string => `${kind} ${subject}`;

const subjectOf = (operation: Operation): string => ("uploadId" in operation ? operation.uploadId : operation.key);
