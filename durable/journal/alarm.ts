/** The one alarm of an actor that keeps no log. What is set already is not written again. */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  /** Null: none, or none that is known of since this process began. */
  #at: number | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** First line of `alarm()`: whatever happens to this process now, the actor wakes again. */
  armRecovery(at: number): void {
    this.#at = at;
    void this.#storage.setAlarm(at);
  }

  /** Brings the alarm forward. */
  wakeBy(at: number): void {
    if (this.#at === null || this.#at > at) this.armRecovery(at);
  }

  /** Puts the alarm there; null: nothing is to be done. One that is about to fire is left to it, and puts it anew. */
  settle(dueAt: number | null, now: number): void {
    const wakeAt = dueAt === null ? null : Math.max(dueAt, 1);
    const isAboutToFire = wakeAt !== null && this.#at !== null && this.#at <= Math.min(wakeAt, now);
    if (wakeAt === this.#at || isAboutToFire) return;
    this.#at = wakeAt;
    void (wakeAt === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(wakeAt));
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
