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

interface Stay {
  readonly bytes: number;
  readonly until: number;
}

const stays = new Set<Stay>();

/** Takes `bytes` of the room as soon as they are free; the answer gives them back. More than the room goes in alone. */
export async function enterRoom(bytes: number): Promise<() => void> {
  for (let taken = takenBytes(); taken > 0 && taken + bytes > ROOM_BYTES; taken = takenBytes())
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  const stay = { bytes, until: Date.now() + STAY_MS };
  stays.add(stay);
  return () => stays.delete(stay);
}

function takenBytes(): number {
  const now = Date.now();
  let bytes = 0;
  for (const stay of stays) {
    if (stay.until <= now) stays.delete(stay);
    else bytes += stay.bytes;
  }
  return bytes;
}
