/**
 * Bytes of payload that all runs of one isolate may hold at once. The platform gives an isolate 128 MB and may put
 * many runs into one (Workers limits), so a limit of each run alone would not do.
 */
const ROOM_BYTES = 48 * 1024 * 1024;

/** Pause between looks at the room. Runs cannot wake each other: the platform forbids I/O on behalf of another actor. */
const LOOK_AGAIN_MS = 5;

/**
 * Longest stay that counts, longer than two requests with their deadlines take. An actor may be reset while its isolate
 * lives on: it never leaves, and must not keep the others out for ever.
 */
const STAY_MS = 5 * 60_000;

/** Who waits and has not looked for so long, a thousand looks, was reset too: the next ones need not wait for it. */
const SILENT_MS = 5000;

interface Stay {
  readonly bytes: number;
  readonly until: number;
}

/** Of somebody who waits. */
interface Ticket {
  lookedAt: number;
}

const stays = new Set<Stay>();

/** In the order in which they came. */
const tickets = new Set<Ticket>();

/**
 * Takes `bytes` of the room as soon as they are free; the answer gives them back. More than the room goes in alone.
 * First come, first served: whoever needs much would otherwise wait for as long as others need little. So nobody may
 * hold room while waiting for more.
 */
export async function enterRoom(bytes: number): Promise<() => void> {
  const ticket = { lookedAt: 0 };
  while (!mayEnter(ticket, bytes)) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  tickets.delete(ticket);
  const stay = { bytes, until: Date.now() + STAY_MS };
  stays.add(stay);
  return () => stays.delete(stay);
}

/** A look at the room, which keeps the place in the line. */
function mayEnter(ticket: Ticket, bytes: number): boolean {
  const now = Date.now();
  ticket.lookedAt = now;
  tickets.add(ticket);
  for (const one of tickets) if (one.lookedAt + SILENT_MS <= now) tickets.delete(one);
  const [first] = tickets;
  const taken = takenBytes(now);
  return first === ticket && (taken === 0 || taken + bytes <= ROOM_BYTES);
}

function takenBytes(now: number): number {
  let bytes = 0;
  for (const stay of stays) {
    if (stay.until <= now) stays.delete(stay);
    else bytes += stay.bytes;
  }
  return bytes;
}
