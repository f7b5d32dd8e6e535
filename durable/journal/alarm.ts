/** The platform refuses alarms after the year 2189. An earlier alarm finds nothing due, and is set again. */
const LAST_ALARM_AT = Date.UTC(2189, 0, 1);

/** Puts the alarm of an actor there, in epoch milliseconds. */
export const setAlarmAt = (storage: DurableObjectStorage, at: number): Promise<void> =>
  storage.setAlarm(Math.min(at, LAST_ALARM_AT));

/** The one alarm of an actor without a journal. An alarm that is set already is not written again. */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  /** null: none, or this process has not set one yet. */
  #at: number | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** First line of `alarm()`: even if this process dies, the actor wakes again at that instant. */
  armRecovery(at: number): void {
    this.#at = at;
    void setAlarmAt(this.#storage, at);
  }

  /** Brings the alarm forward. */
  wakeBy(at: number): void {
    if (this.#at === null || this.#at > at) this.armRecovery(at);
  }

  /** Puts the alarm there; null: no work is left. An alarm that is about to fire stays: it settles itself. */
  settle(dueAt: number | null, now: number): void {
    const wakeAt = dueAt === null ? null : Math.max(dueAt, 1);
    const isAboutToFire = wakeAt !== null && this.#at !== null && this.#at <= Math.min(wakeAt, now);
    if (wakeAt === this.#at || isAboutToFire) return;
    this.#at = wakeAt;
    void (wakeAt === null ? this.#storage.deleteAlarm() : setAlarmAt(this.#storage, wakeAt));
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
