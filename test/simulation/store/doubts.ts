import type { Operation } from "./requests.ts";

/**
 * Requests of which whoever sent them cannot know what they did: refused, unanswered, answered to one that was dead by
 * then, or delivered once more. No product can be blamed for what came of them.
 */
export class Doubts {
  readonly #open = new Map<string, number>();

  arrived(operation: Operation): void {
    const name = nameOf(operation.kind, subjectOf(operation));
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
  }

  /** The sender heard that it was done. */
  heard(operation: Operation): void {
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
