/** How messages of an actor are delivered. */
export interface Delivery<M> {
  /** Names the receiver of a message. Messages to one receiver are delivered in order, independently of other receivers. */
  partitionKey(message: M): string;
  /** Whether a message makes earlier such messages to the same receiver obsolete: a report of the whole state. */
  supersedes(message: M): boolean;
}

interface Waiting<M> {
  readonly id: number;
  readonly message: M;
}

/**
 * Messages to other actors, stored together with the events that make them due. Each is delivered at least once and
 * deleted after that. Its table exists once the actor has an event (see schema.ts).
 */
export class Outbox<M> {
  readonly #storage: DurableObjectStorage;
  readonly #isKept: () => boolean;
  readonly #delivery: Delivery<M>;

  constructor(storage: DurableObjectStorage, isKept: () => boolean, delivery: Delivery<M>) {
    this.#storage = storage;
    this.#isKept = isKept;
    this.#delivery = delivery;
  }

  /** Part of the transaction that appends the event. */
  post(message: M): void {
    this.#storage.sql.exec("INSERT INTO outbox (body) VALUES (?)", JSON.stringify(message));
  }

  isEmpty(): boolean {
    return !this.#isKept() || this.#storage.sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length === 0;
  }

  /**
   * Hands every waiting message to `deliver`, also those posted meanwhile. A message whose delivery fails stays, with
   * later ones to the same receiver; a superseded one is dropped. Returns whether the outbox is empty.
   */
  async flush(deliver: (message: M) => Promise<void>): Promise<boolean> {
    const unreachable = new Set<string>();
    let last = 0;
    for (let batch = [...this.#after(last)]; batch.length > 0; batch = [...this.#after(last)]) {
      last = batch.at(-1)?.id ?? last;
      const delivered: number[] = [];
      const deliverTo = async ([receiver, waiting]: [string, readonly Waiting<M>[]]) => {
        for (const { id, message } of waiting) {
          if (unreachable.has(receiver)) return;
          try {
            if (!this.#isSuperseded(id, message)) await deliver(message);
            delivered.push(id);
          } catch {
            unreachable.add(receiver); // the message stays in the outbox
          }
        }
      };
      const byReceiver = Map.groupBy(batch, ({ message }) => this.#delivery.partitionKey(message));
      await Promise.all([...byReceiver].map(deliverTo));
      this.#delete(delivered);
    }
    return this.isEmpty();
  }

  /** One write for all: each write delays what the actor sends next. */
  #delete(ids: readonly number[]): void {
    if (ids.length === 0) return;
    this.#storage.sql.exec("DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  }

  #isSuperseded(id: number, message: M): boolean {
    const { partitionKey, supersedes } = this.#delivery;
    if (!supersedes(message)) return false;
    for (const { message: later } of this.#after(id))
      if (supersedes(later) && partitionKey(later) === partitionKey(message)) return true;
    return false;
  }

  /** Messages after that one, oldest first. */
  *#after(id: number): Generator<Waiting<M>> {
    if (!this.#isKept()) return;
    const query = "SELECT id, body FROM outbox WHERE id > ? ORDER BY id";
    for (const row of this.#storage.sql.exec<{ id: number; body: string }>(query, id))
      yield { id: row.id, message: JSON.parse(row.body) };
  }
}
