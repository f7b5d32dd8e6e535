/** Poll interval in ms. It grows by as much per 32 waiting requests ahead, so that 1,000 waiters do not spin. */
const POLL_MS = 5;
const WAITING_PER_STEP = 32;

/** How often a holder renews its lease; also the longest poll interval. */
const RENEW_MS = 500;

/** A claim that missed five renewals belongs to an actor that was reset: its timers ended with it. */
const LAPSE_MS = 5 * RENEW_MS;

/** A share of the budget. Its holder renews it by a timer until it calls `release`. */
export interface Lease {
  /** A second call does nothing. */
  readonly release: () => void;
}

/** A request: waiting until it is granted, then a lease. */
interface Claim {
  readonly bytes: number;
  isGranted: boolean;
  /** By the clock of the budget. */
  renewedAt: number;
}

/**
 * Shares bytes of an isolate's memory among its actors. A request that waits polls: the platform forbids I/O on behalf
 * of another actor, so an actor cannot wake another one.
 *
 * An actor can be reset while its isolate lives on, and then releases nothing. So each claim is renewed by its own
 * actor, a lease by a timer and a waiting request by its polls, and lapses when the renewals stop.
 */
export class MemoryBudget {
  readonly #bytes: number;
  /** In order of arrival. */
  readonly #claims = new Set<Claim>();
  #time = 0;
  #tickedAt = 0;

  /** `bytes`: most bytes that may be held at the same time. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /**
   * Resolves once `bytes` are free; more than the whole budget is granted alone. A holder must not wait for a second
   * lease of the same budget: two such holders could block each other.
   *
   * A request may pass an earlier one only while leases older than the earlier one suffice to block it. These leases
   * are a fixed set that only shrinks, so a large request waits for them, as in a queue without passing, and then only
   * for the requests that have passed it by then.
   */
  async acquire(bytes: number): Promise<Lease> {
    const claim: Claim = { bytes, isGranted: false, renewedAt: 0 };
    for (;;) {
      this.#renew(claim);
      const { mayEnter, ahead } = this.#look(claim);
      if (mayEnter) break;
      const pauseMs = Math.min(POLL_MS * (1 + Math.floor(ahead / WAITING_PER_STEP)), RENEW_MS);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    claim.isGranted = true;
    const timer = setInterval(() => this.#renew(claim), RENEW_MS);
    const release = (): void => {
      clearInterval(timer);
      this.#claims.delete(claim);
    };
    return { release };
  }

  /** A lapsed claim whose actor still lives counts again, as the latest. */
  #renew(claim: Claim): void {
    this.#tick();
    claim.renewedAt = this.#time;
    this.#claims.add(claim);
  }

  /**
   * The time of the budget: one step is a renewal interval at most. While one actor computes for long no timer of any
   * actor runs, and the first poll afterwards may come before the renewals that are overdue. Such a block, or a clock
   * that was put forward, counts as one missed renewal at most.
   */
  #tick(): void {
    const now = Date.now();
    this.#time += Math.min(Math.max(now - this.#tickedAt, 0), RENEW_MS);
    this.#tickedAt = now;
  }

  /** Whether the request can be granted now, and how many requests wait ahead of it. Removes lapsed claims. */
  #look(claim: Claim): { readonly mayEnter: boolean; readonly ahead: number } {
    let heldBytes = 0;
    let ahead = 0;
    let mayPass = true;
    let isEarlier = true;
    for (const other of this.#claims) {
      if (other === claim) isEarlier = false;
      else if (other.renewedAt + LAPSE_MS <= this.#time) this.#claims.delete(other);
      else if (other.isGranted) heldBytes += other.bytes;
      else if (isEarlier) {
        ahead += 1;
        // Only leases older than `other` are counted so far.
        if (this.#fits(other, heldBytes)) mayPass = false;
      }
    }
    return { mayEnter: mayPass && this.#fits(claim, heldBytes), ahead };
  }

  #fits({ bytes }: Claim, heldBytes: number): boolean {
    return heldBytes === 0 || heldBytes + bytes <= this.#bytes;
  }
}

/**
 * The platform gives an isolate 128 MB and may place many actors in it (Cloudflare: Workers limits), so a limit per
 * actor would not do. Sealing has a budget of its own: acknowledged data is sealed however slow customers' buckets are.
 */
const EXPORT_BYTES = 48 * 1024 * 1024;
const SEALING_BYTES = 32 * 1024 * 1024;

/** Memory of all export runs in this isolate for their files and sources. */
export const exportMemory = new MemoryBudget(EXPORT_BYTES);

/** Memory of all trace shards in this isolate for the segments that they write. */
export const sealingMemory = new MemoryBudget(SEALING_BYTES);
