/**
 * Bytes that all runs of one isolate may hold of their files at once, and all trace shards of what they seal. The
 * platform gives an isolate 128 MB and may put many actors into one (Workers limits), so a limit of each alone would not
 * do. Two rooms: what is acknowledged is sealed however slowly customers' buckets take their files.
 */
const ROOM_BYTES = 48 * 1024 * 1024;
const SEALING_BYTES = 32 * 1024 * 1024;

/**
 * Pause between looks at a room; for each so many in the line before, one such pause more, or a thousand shards would do
 * nothing but look. Actors cannot wake each other: the platform forbids I/O on behalf of another one.
 */
const LOOK_AGAIN_MS = 5;
const LOOKING_AT_ONCE = 32;

/**
 * Longest stay that counts, longer than two requests with their deadlines take. An actor may be reset while its isolate
 * lives on: it never leaves, and must not keep the others out for ever.
 */
const STAY_MS = 5 * 60_000;

/** Who waits and has not looked for so long was reset too: the next ones need not wait for it. */
const SILENT_MS = 5000;
const MAX_PAUSE_MS = SILENT_MS / 5;

interface Stay {
  readonly bytes: number;
  readonly until: number;
}

/** Of somebody who waits. */
interface Ticket {
  lookedAt: number;
}

/** So many bytes of an isolate's memory, given out and given back. */
class Room {
  readonly #bytes: number;
  readonly stays = new Set<Stay>();
  /** In the order in which they came. */
  readonly #tickets = new Set<Ticket>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /**
   * Takes `bytes` of the room as soon as they are free; the answer gives them back. More than the room goes in alone.
   * First come, first served: whoever needs much would otherwise wait for as long as others need little. So nobody may
   * hold room while waiting for more.
   */
  async enter(bytes: number): Promise<() => void> {
    const ticket = { lookedAt: 0 };
    for (;;) {
      const before = this.#lookedBy(ticket);
      if (before === 0 && this.#hasRoomFor(bytes)) break;
      const pauseMs = Math.min(LOOK_AGAIN_MS * (1 + Math.floor(before / LOOKING_AT_ONCE)), MAX_PAUSE_MS);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.#tickets.delete(ticket);
    const stay = { bytes, until: Date.now() + STAY_MS };
    this.stays.add(stay);
    return () => this.stays.delete(stay);
  }

  /** A look keeps the place in the line; answers how many stand before. */
  #lookedBy(ticket: Ticket): number {
    const now = Date.now();
    ticket.lookedAt = now;
    this.#tickets.add(ticket);
    for (const one of this.#tickets) if (one.lookedAt + SILENT_MS <= now) this.#tickets.delete(one);
    let before = 0;
    for (const one of this.#tickets) {
      if (one === ticket) break;
      before += 1;
    }
    return before;
  }

  #hasRoomFor(bytes: number): boolean {
    const taken = this.#takenBytes();
    return taken === 0 || taken + bytes <= this.#bytes;
  }

  #takenBytes(): number {
    const now = Date.now();
    let bytes = 0;
    for (const stay of this.stays) {
      if (stay.until <= now) this.stays.delete(stay);
      else bytes += stay.bytes;
    }
    return bytes;
  }
}

const files = new Room(ROOM_BYTES);
const seals = new Room(SEALING_BYTES);

export const enterRoom = (bytes: number): Promise<() => void> => files.enter(bytes);

export const enterSealing = (bytes: number): Promise<() => void> => seals.enter(bytes);
